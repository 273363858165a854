"""Calls, results and errors."""

import asyncio
import inspect
import pickle
import warnings

import numpy as np
import pytest

import mathchain


def test_a_system_of_the_must_show():
    found = mathchain.call("matrix_solve", A=np.array([[3, 1], [1, 2.0]]), b=np.array([9, 8.0]))
    assert type(found) is dict
    np.testing.assert_allclose(found["x"], [2, 3], rtol=1e-14)
    assert found["x"].dtype == np.float64


def test_tools_are_functions_with_signatures_and_docstrings(toolkit):
    solve = toolkit.tools.matrix_solve
    assert list(inspect.signature(solve).parameters)[:2] == ["A", "b"]
    assert inspect.signature(solve).parameters["A"].default is inspect.Parameter.empty
    assert "A:" in inspect.getdoc(solve) and "x:" in inspect.getdoc(solve)
    np.testing.assert_allclose(solve(A=[[2]], b=[4])["x"], [2])
    assert "matrix_solve" in dir(toolkit.tools) and "matrix_solve" in toolkit.tools
    assert len(toolkit.tools) > 50
    with pytest.raises(AttributeError, match="matrx_solve"):
        toolkit.tools.matrx_solve
    from mathchain.tools import statistics

    assert statistics(data=[1, 2, 3, 4])["mean"] == 2.5


def test_arguments_are_keywords_or_a_dictionary_and_not_both(toolkit):
    assert toolkit.call("statistics", {"data": [1, 2, 3]})["mean"] == 2
    with pytest.raises(mathchain.InvalidRequest, match="given twice"):
        toolkit.call("statistics", {"data": [1]}, data=[2])
    with pytest.raises(mathchain.InvalidRequest, match="as a dictionary"):
        toolkit.call("statistics", [1, 2])
    found = toolkit.call("convert_units", value=1, from_="km", to="m")
    assert found == toolkit.call("convert_units", {"value": 1, "from": "km", "to": "m"})


def test_errors_are_classes_by_code(toolkit):
    with pytest.raises(mathchain.InvalidArgs) as caught:
        toolkit.call("matrix_cholesky", A=[[1, 2, 3], [4, 5, 6]])
    error = caught.value
    assert error.code == "invalid_args" and error.path == "/A" and isinstance(error, mathchain.Error)
    assert error.path in str(error)
    members = error.to_dict()
    assert members["code"] == "invalid_args" and "evidence" not in members and "problems" not in members
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is mathchain.InvalidArgs and copy.to_dict() == members
    with pytest.raises(mathchain.UnknownTool, match="did you mean `matrix_solve`"):
        toolkit.call("matrx_solve", A=1)
    with pytest.raises(mathchain.Numeric) as caught:
        toolkit.call("matrix_solve", A=[[1, 2], [2, 4]], b=[1, 2])
    assert caught.value.reason == "singular"


def test_an_unknown_role_is_an_error_of_the_toolkit():
    with pytest.raises(mathchain.NotVisible, match="nobody_"):
        mathchain.Toolkit(state=False, role="nobody_")


def test_a_role_sees_its_tools_only():
    toolkit = mathchain.Toolkit(state=False, role="worker_math")
    assert "write_file" not in list(toolkit.tools)
    with pytest.raises(mathchain.NotVisible):
        toolkit.call("write_file", path="a", content="b")


def test_a_configuration_names_problems(folder):
    (folder / "own.toml").write_text("version = 1\nlimts = 2\n")
    with pytest.raises(mathchain.Error, match="limts"):
        mathchain.Toolkit(config=folder / "own.toml")
    with pytest.raises(mathchain.Error, match="missing.toml"):
        mathchain.Toolkit(config="missing.toml")


def test_a_call_with_effects_awaits_approval(folder):
    (folder / "mathchain.toml").write_text("version = 1\n")
    toolkit = mathchain.Toolkit()
    with pytest.raises(mathchain.PendingApproval) as caught:
        toolkit.call("write_file", path="notes.txt", content="hello")
    error = caught.value
    assert error.code == "approval_required" and error.approval_id in error.hint
    assert isinstance(error, mathchain.ApprovalRequired)
    assert pickle.loads(pickle.dumps(error)).approval_id == error.approval_id
    assert not (folder / "notes.txt").exists()
    answer = toolkit.answer("write_file", path="notes.txt", content="hello")
    assert answer["status"] == "pending_approval"


def test_an_answer_has_metadata_and_the_audit(folder):
    (folder / "mathchain.toml").write_text("version = 1\n")
    with mathchain.Toolkit() as toolkit:
        answer = toolkit.answer("statistics", data=[1, 2, 3])
    assert answer["ok"] and answer["output"]["mean"] == 2
    assert answer["metadata"]["tool"] == "statistics" and answer["metadata"]["audit"]
    failed = toolkit.answer("statistics")
    assert failed["status"] == "error" and failed["error"]["code"] == "invalid_args"
    assert (folder / ".mathchain" / "state.db").exists()


def test_calls_are_recorded_unless_no_state_is_wanted(toolkit, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        toolkit.call("statistics", data=[1, 2])
    with pytest.raises(mathchain.PreconditionFailed, match="audit"):
        toolkit.call("write_file", path="a", content="b")


def test_a_deadline_is_a_timeout():
    toolkit = mathchain.Toolkit(state=False, timeout_ms=50)
    with pytest.raises(mathchain.Timeout):
        toolkit.call(*LONG)


def test_asyncio_calls_run_together_and_are_cancelled(toolkit):
    async def together():
        calls = (toolkit.acall("statistics", data=[n, n + 2]) for n in range(20))
        return [found["mean"] for found in await asyncio.gather(*calls)]

    assert asyncio.run(together()) == [n + 1 for n in range(20)]

    async def cancelled():
        task = asyncio.create_task(toolkit.acall(*LONG))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 20)

    asyncio.run(cancelled())


def test_results_that_are_not_finite_are_floats(toolkit):
    found = toolkit.call("mcmc_diagnostics", samples=[[1, 1, 1, 1], [1, 1, 1, 1]])
    assert isinstance(found["ess_min"], float) and np.asarray(found["ess"]).dtype == np.float64


def test_schemas_list_what_the_role_sees(toolkit):
    schemas = toolkit.schemas()
    assert {schema["name"] for schema in schemas} >= {"matrix_solve", "statistics"}
    assert all(schema["input_schema"]["type"] == "object" for schema in schemas)
    with pytest.raises(mathchain.InvalidRequest, match="no format"):
        toolkit.schemas("xml")


def test_plans_run_and_are_checked(toolkit, folder):
    plan = {
        "version": 1,
        "id": "means",
        "inputs": {"data": {"type": "list"}},
        "steps": [{"id": "first", "tool": "statistics", "args": {"data": {"$ref": "inputs.data"}}}],
        "outputs": {"mean": {"$ref": "first.mean"}},
    }
    told = []
    found = toolkit.run(plan, {"data": np.arange(5.0)}, progress=lambda fraction, words: told.append(words))
    assert found["outputs"]["mean"] == 2 and found["status"] == "success"
    assert "first: done" in told
    checked = toolkit.check(plan, {"data": [1, 2]})
    assert checked["steps"] and not isinstance(checked, str)
    with pytest.raises(mathchain.InvalidRequest) as caught:
        toolkit.check({**plan, "steps": [{"id": "a", "tool": "statistcs", "args": {}}]})
    assert "statistics" in str(caught.value)
    text = "version: 1\nid: one\nsteps:\n  - {id: a, tool: statistics, args: {data: [1, 2, 3]}}\noutputs: {m: {$ref: a.mean}}\n"
    (folder / "one.yaml").write_text(text)
    for form in ("one.yaml", folder / "one.yaml", text):
        assert toolkit.run(form)["outputs"] == {"m": 2.0}
    assert asyncio.run(toolkit.arun(text))["outputs"] == {"m": 2.0}
    with pytest.raises(FileNotFoundError):
        toolkit.run("missing.yaml")


#: A call that takes minutes.
LONG = ("mcmc", {"log_density": "-x^2/2", "x0": [0], "n_samples": 1000, "thin": 1_000_000, "return_samples": False})
