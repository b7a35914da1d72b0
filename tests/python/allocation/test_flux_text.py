# SPDX-License-Identifier: BSD-3-Clause
"""What Flux writes of hosts, cores and jobs is read, or refused in a line."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nereus.allocation import AllocationError
from nereus.allocation.flux.job_id import id_of
from nereus.allocation.flux.jobspec import Limits, OneHost, read_limits
from nereus.allocation.flux.ranges import names_in, numbers_of
from nereus.allocation.flux.resources import read_resources
from nereus.launch.hosts import Host

R = {
    "version": 1,
    "execution": {
        "R_lite": [{"rank": "3", "children": {"core": "0-3"}}, {"rank": "0-1", "children": {"core": "0,2"}}],
        "nodelist": ["n[08-09]", "big"],
    },
}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ("n1",)),
        ("n[1-3]", ("n1", "n2", "n3")),
        ("n[08-10,12],login", ("n08", "n09", "n10", "n12", "login")),
        ("a[1]-ib,b-2", ("a1-ib", "b-2")),
        ("vm,vm", ("vm", "vm")),
        ("", ()),
    ],
)
def test_list_of_hosts_is_read(text: str, names: tuple[str, ...]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize("text", ["n[1", "n[3-1]", "n[a]", "n[]", ",", "n[1-9999999]", "n[1][2]"])
def test_list_of_hosts_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(AllocationError, match="allowed is"):
        names_in(text)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sets(st.integers(0, 300), min_size=1))
def test_set_of_numbers_is_read_as_flux_writes_it(numbers: set[int]) -> None:
    assert set(numbers_of(",".join(map(str, sorted(numbers))))) == numbers


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (names_in, numbers_of):
        try:
            read(text)
        except AllocationError as refused:
            assert "allowed is" in str(refused)


def test_hosts_stand_in_the_order_of_ranks_with_their_cores() -> None:
    hosts = read_resources(json.dumps(R), "the job")
    assert hosts == (Host("n08", 2), Host("n09", 2), Host("big", 4))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"nodelist": ["n1"]}, "3 nodes, and 1 names"),
        ({"nodelist": ["n1,n1,n2"]}, "several brokers on one host"),
        ({"nodelist": ["-x,n1,n2"]}, "3 nodes"),
        ({"R_lite": []}, "R_lite"),
        ({"R_lite": [{"rank": "x", "children": {"core": "0"}}]}, "allowed is"),
    ],
)
def test_resources_that_cannot_be_are_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(AllocationError, match=said):
        read_resources(json.dumps(R | {"execution": R["execution"] | changes}), "the job")  # type: ignore[operator]


@pytest.mark.parametrize("text", ["", "{}", "[1]", "null", '{"execution": 3}'])
def test_resources_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(AllocationError, match="resources of the job cannot be read"):
        read_resources(text, "the job")


def spec(**system: object) -> str:
    slot = {"type": "slot", "count": 2, "with": [{"type": "core", "count": 3}]}
    return json.dumps(
        {"resources": [{"type": "node", "count": 1, "with": [slot]}], "attributes": {"system": system}}
    )


def test_limits_of_a_job_are_read() -> None:
    limits = read_limits(
        spec(queue="batch", bank="b", duration=3, constraints={"properties": ["x"]}), "the job"
    )
    assert limits == Limits(3, (("queue", "batch"), ("bank", "b")), '{"properties": ["x"]}')
    assert limits.queue == "batch"


@pytest.mark.parametrize("named", [{"hostlist": ["n1"]}, {"and": [{"properties": ["x"]}, {"ranks": ["0"]}]}])
def test_constraint_that_names_hosts_is_for_the_first_job_alone(named: dict[str, object]) -> None:
    assert read_limits(spec(constraints=named), "the job").constraints == ""


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"attributes": {"system": {}}}', spec(queue=3)])
def test_jobspec_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(AllocationError, match="jobspec of the job cannot be read"):
        read_limits(text, "the job")


def test_job_for_a_host_has_the_limits_of_the_first() -> None:
    limits = Limits(2, (("queue", "batch"),), '{"properties": ["x"]}')
    asked = json.loads(OneHost("nereus-k-1", "n3", 4, 60.0).jobspec(limits, ["true"], {"PATH": "/bin"}))
    system = asked["attributes"]["system"]
    assert (system["queue"], system["duration"], system["job"]) == ("batch", 60.0, {"name": "nereus-k-1"})
    assert system["constraints"] == {"and": [{"properties": ["x"]}, {"hostlist": ["n3"]}]}
    [node] = asked["resources"]
    assert (node["type"], node["count"], node["exclusive"]) == ("node", 1, True)
    assert (node["with"][0]["count"], node["with"][0]["with"]) == (4, [{"type": "core", "count": 2}])


def test_job_for_any_host_has_no_constraint() -> None:
    asked = json.loads(OneHost("nereus-k-1", "", 1, 0.0).jobspec(Limits(), ["true"], {}))
    assert "constraints" not in asked["attributes"]["system"]


@pytest.mark.parametrize(
    ("text", "number"), [("\u01922bMSGAs", "f2bMSGAs"), ("f2b", "f2b"), ("4711", "4711")]
)
def test_number_of_a_job_is_read_in_ascii(text: str, number: str) -> None:
    assert id_of(text, "flux") == number


@pytest.mark.parametrize("text", ["", "f", "f0", "n1", "f1 x", "-1", "f" + "1" * 99])
def test_text_that_is_no_number_of_a_job_is_refused(text: str) -> None:
    with pytest.raises(AllocationError, match="allowed is the number of a job"):
        id_of(text, "flux")
