"""One other engine on the plans of `benches/plans.rs`: `plans_peer.py ENGINE GRAPHS`, then lines `{"case": .., "steps": ..}`, answered with seconds.

Steps are plain functions, as a user of each engine would write them; building the graph and running it are timed apart. An engine that has no such thing,
or fails, answers `null` with the reason.
"""

import json
import operator
import os
import sys
import tempfile
import time

WORKERS = 8


def add_one(x, sleep_ms=0):
    if sleep_ms:
        time.sleep(sleep_ms / 1000)
    return x + 1


class LangGraph:
    """Nodes and edges of a `StateGraph`, compiled once; independent steps as `Send` of one node, which its documentation has for map-reduce."""

    def __init__(self):
        from typing import Annotated, TypedDict

        from langgraph.graph import END, START, StateGraph

        self.new, self.start, self.end = StateGraph, START, END
        self.State = TypedDict("State", {"x": int})
        self.Gathered = TypedDict("Gathered", {"xs": Annotated[list, operator.add]})

    def independent(self, steps):
        from langgraph.types import Send

        graph = self.new(self.Gathered)
        graph.add_node("step", lambda state: {"xs": [add_one(state["x"])]})
        graph.add_conditional_edges(self.start, lambda _: [Send("step", {"x": x}) for x in range(steps)], ["step"])
        graph.add_edge("step", self.end)
        compiled = graph.compile()
        return lambda: len(compiled.invoke({"xs": []})["xs"]) == steps

    def line(self, steps, **options):
        graph = self.new(self.State)
        names = [f"s{step}" for step in range(steps)]
        for name in names:
            graph.add_node(name, lambda state: {"x": add_one(state["x"])})
        for before, after in zip([self.start, *names], [*names, self.end]):
            graph.add_edge(before, after)
        return graph.compile(**options)

    def chain(self, steps):
        compiled = self.line(steps)
        return lambda: compiled.invoke({"x": 0}, {"recursion_limit": steps + 10})["x"] == steps

    def journalled(self, steps):
        from langgraph.checkpoint.sqlite import SqliteSaver

        place = tempfile.TemporaryDirectory()
        context = SqliteSaver.from_conn_string(os.path.join(place.name, "state.db"))
        compiled = self.line(steps, checkpointer=context.__enter__())

        def run():
            config = {"recursion_limit": steps + 10, "configurable": {"thread_id": "1"}}
            right = compiled.invoke({"x": 0}, config)["x"] == steps
            context.__exit__(None, None, None)
            place.cleanup()
            return right

        return run

    def graph(self, graph):
        compiled_graph = self.new(self.Gathered)
        for step, (sleep_ms, before) in enumerate(zip(graph["sleeps"], graph["before"])):
            compiled_graph.add_node(f"s{step}", lambda _, step=step, sleep_ms=sleep_ms: {"xs": [add_one(step, sleep_ms)]})
            compiled_graph.add_edge([f"s{number}" for number in before] if before else self.start, f"s{step}")
        compiled = compiled_graph.compile()
        config = {"recursion_limit": len(graph["sleeps"]) + 10, "max_concurrency": graph["workers"]}
        return lambda: len(compiled.invoke({"xs": []}, config)["xs"]) == len(graph["sleeps"])


class Dask:
    """`dask.delayed` calls, computed together; what comes after is passed as an argument."""

    def __init__(self):
        import dask

        self.dask = dask
        self.add = dask.delayed(add_one, pure=False)
        self.after = dask.delayed(lambda x, sleep_ms, before: add_one(x, sleep_ms), pure=False)

    def compute(self, *delayed):
        return self.dask.compute(*delayed)

    def independent(self, steps):
        delayed = [self.add(x) for x in range(steps)]
        return lambda: len(self.compute(*delayed)) == steps

    def chain(self, steps):
        x = 0
        for _ in range(steps):
            x = self.add(x)
        return lambda: self.compute(x) == (steps,)

    def graph(self, graph):
        delayed = []
        for step, (sleep_ms, before) in enumerate(zip(graph["sleeps"], graph["before"])):
            delayed.append(self.after(step, sleep_ms, [delayed[number] for number in before]))
        return lambda: len(self.compute(*delayed)) == len(delayed)


class Threads(Dask):
    def compute(self, *delayed):
        return self.dask.compute(*delayed, scheduler="threads", num_workers=WORKERS)


class Distributed(Dask):
    """A `Client` with its cluster in this process: no copies, no sockets, the quickest it has for small steps."""

    def __init__(self):
        super().__init__()
        from distributed import Client

        self.dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})
        self.client = Client(processes=False, n_workers=1, threads_per_worker=WORKERS, dashboard_address=None, silence_logs=40)


ENGINES = {"langgraph": LangGraph, "threads": Threads, "distributed": Distributed}


def main():
    engine = ENGINES[sys.argv[1]]()
    graphs = json.loads(sys.argv[2])
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        case, steps = asked["case"], asked["steps"]
        try:
            build = getattr(engine, case)
            began = time.perf_counter()
            run = build(graphs[steps] if case == "graph" else steps)
            built = time.perf_counter()
            right = run()
            ended = time.perf_counter()
            answer = {"build_s": built - began, "run_s": ended - built} if right else {"error": "a wrong result"}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
