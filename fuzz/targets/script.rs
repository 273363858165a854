//! Call scripts: any text is a checked plan or a list of problems, each with a place inside the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mathchain::CallContext;
use mathchain::chain_runtime::{Plan, script};

fuzz_target!(|text: &str| {
    let toolkit = fuzz::toolkit();
    if let Err(errors) = script::parse_script("fuzz.chain", text) {
        let lines = text.matches('\n').count() + 1;
        for error in errors.list() {
            let place = error.place.as_ref().expect("a place");
            assert!(place.line >= 1 && place.line as usize <= lines && place.column >= 1);
            assert!(error.hint.is_some(), "no next step: {error}");
        }
    }
    if let Ok(plan) = Plan::read("fuzz.chain", text) {
        let plan = plan.with_defaults(toolkit.chain_defaults());
        let _ = toolkit.check(&CallContext::default(), &plan, &Default::default(), mathchain::chain_runtime::CheckMode::Run);
    }
});
