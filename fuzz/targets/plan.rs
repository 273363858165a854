//! Plans: any document, in YAML or JSON, is a checked plan or a list of problems with places.

#![no_main]

use libfuzzer_sys::fuzz_target;
use mathchain::CallContext;

fuzz_target!(|text: &str| {
    let toolkit = fuzz::toolkit();
    if let Ok(plan) = mathchain::chain_runtime::Plan::parse(text) {
        let plan = plan.with_defaults(toolkit.chain_defaults());
        let _ = toolkit.check(&CallContext::default(), &plan, &Default::default(), mathchain::chain_runtime::CheckMode::Run);
    }
});
