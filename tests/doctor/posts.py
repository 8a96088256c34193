#!/usr/bin/python3
"""What people paste when NVIDIA's driver does not run: a few lines of a kernel's log or of the runtime's messages, without a network. nvcosim
doctor has to find the layer where the text shows it and the class, and may call only a right class certain.

usage: posts.py NVCOSIM        Prints "N passed, N failed".
"""
import re
import sys

from counts import check, finish
from in_process import diagnose

BUFFERS = """
[  53.01] NVDLA GEM Create Begin
[  53.02] #size: 4096 : dma_addr: 0x40000000 :
[  53.03] #size: 4096 : dma_addr: {second} :
[  53.10] Enter:dla_read_network_config
[  53.11] Enter: dla_initiate_processors
[  53.20] Program SDP operation index 0 ROI 0 Group[0]
[  53.21] Enable SDP operation index 0 ROI 0
[  53.22] Enter: dla_op_enabled
[  53.23] Exit: dla_op_enabled
[  53.24] Exit: dla_initiate_processors status=0
[  53.30] Enter:dla_handle_events, processor:BDMA
[  53.31] Enter:dla_handle_events, processor:SDP
[  53.31] Completed SDP operation index 0 ROI 0
[  53.32] 1 HWLs done, totally 1 layers
[  53.33] Enter:dla_handle_events, processor:RUBIK
[  53.34] Exit:dla_handle_events, ret:0
[  53.35] reset engine done
"""
WAITING = BUFFERS[:BUFFERS.index("[  53.30]")]
PROBE = "Probe NVDLA config nvidia,nv_small\nreset engine done\nEnter:dla_read_network_config\nEnter: dla_initiate_processors\n"
WAIT = "Exit: dla_initiate_processors status=0\n"


def armed(unit, index):
    return f"""Prepare {unit} operation index {index} ROI 0 dep_count 0
Enter: dla_prepare_operation
processor:{unit} group:0, rdma_group:0 available
Program {unit} operation index {index} ROI 0 Group[0]
Enable {unit} operation index {index} ROI 0
Enter: dla_op_enabled
Exit: dla_op_enabled
"""


def events(text=""):
    return f"Enter:dla_handle_events, processor:BDMA\n{text}Enter:dla_handle_events, processor:RUBIK\nExit:dla_handle_events, ret:0\n"


def ended(unit, index, done):
    return f"Handle op complete event, processor {unit} group 0\nCompleted {unit} operation index {index} ROI 0\n{done} HWLs done, totally 9 layers\n"


FETCHED = "Handle cdma weight done event, processor Convolution group 0\nHandle cdma data done event, processor Convolution group 0\n"
WHOLE = FETCHED + ended("Convolution", 0, 1) + ended("SDP", 1, 2)
START = PROBE + armed("SDP", 1) + armed("Convolution", 0) + WAIT
POLL = armed("Convolution", 3).replace("Enter: dla_op_enabled\nExit: dla_op_enabled\n", "")
# name, verdict, layer, classes that are right (the first one has to be named first, unless it begins with ?: then any of them), text
POSTS = [
    ("no device node", "error", None, ["environment"], """
root@zcu102:~# ./nvdla_runtime --loadable fast-math.nvdla --image 1.pgm --rawdump
creating new runtime context...
Emulator starting
dlaimg height: 28 x 28 x 1: LS: 224 SS: 0 Size: 6272
libnvdla<1> failed to open dla device
(DLA_RUNTIME) Error 0x00000004: Out of bounds DLA instance 0 requested. (in Runtime.cpp, function load(), line 312)
(DLA_TEST) Error 0x00000004: runtime->load failed (in RuntimeTest.cpp, function loadLoadable(), line 300)
"""),
    ("code 12", "error", None, ["busy"], """
When I run it a second time I get:

    submitting tasks...
    NvDlaSubmit: Error IOCTL failed (Cannot allocate memory)
    (DLA_RUNTIME) Error 0x0003000f: (propagating from Runtime.cpp, function submitInternal(), line 669)
    Shutdown signal received, exiting
"""),
    ("code 3", "error", None, ["?configuration", "loadable"], """
submitting tasks...
NvDlaSubmit: Error IOCTL failed (No such process)
(Info) Error 0x0003000f: (propagating from /home/u/nvdla/sw/umd/core/src/runtime/Runtime.cpp, function submitInternal(), line 666)
"""),
    ("code 8", "error", None, ["environment"], """
> submitting tasks...
> NvDlaSubmit: Error IOCTL failed (Exec format error)
"""),
    ("old runtime", "error", None, ["loadable"], """
creating new runtime context...
(DLA_RUNTIME) Error 0x00000004: unrecognized interface 0 (in Runtime.cpp, function load(), line 400)
"""),
    ("no contiguous memory", "error", None, ["environment"], "Emulator starting\nFailed to allocate handle err=-1 errno=12\n"),
    ("picture", "error", None, ["loadable"], "dlaimg height: 224 x 224 x 3: LS: 1792\nMismatched channel: 4 != 3\n"),
    ("probe", "error", None, ["environment"], """
[    2.110044] NVDLA a0000000.NV_nvdla_wrapper: failed to register drm device
[    2.116222] NVDLA: probe of a0000000.NV_nvdla_wrapper failed with error -12
"""),
    ("interrupt missing in the device tree", "error", None, ["environment"], "[  101.23] NVDLA 40000000.nvdla: no irq resource\n"),
    ("hung task", "hang", None, ["interrupt-never"], """
[  363.5] INFO: task nvdla_runtime:1873 blocked for more than 120 seconds.
[  363.5]       Tainted: G           O    4.13.3 #1
[  363.5] Call trace:
[  363.5] [<ffff000008085ed0>] __switch_to+0x98/0xb0
[  363.5] [<ffff000000a92d20>] dla_submit_task+0x1f0/0x350 [opendla]
"""),
    ("only the runtime", "unknown", None, [], "submitting tasks...\n"),
    ("other drivers", "unknown", None, [], """
[    1.0] macb: no irq resource
[    3.0] Unable to handle kernel NULL pointer dereference at virtual address 00000000
[    3.1] pc : ext4_read+0x10/0x20
"""),
    ("bus error at the first register", "hang", 0, ["environment", "configuration"], """
[  53.01] NVDLA GEM Create Begin
[  53.02] #size: 4096 : dma_addr: 0x40000000 :
[  53.10] Enter:dla_read_network_config
[  53.11] Exit:dla_read_network_config status=0
[  53.12] Enter: dla_initiate_processors
[  53.13] Enter: dla_submit_operation
[  53.14] Prepare Convolution operation index 0 ROI 0 dep_count 1
[  53.15] Enter: dla_prepare_operation
[  53.16] Unhandled fault: synchronous external abort (0x96000010) at 0xffffff8009000004
"""),
    ("busy unit", "error", 4, ["busy", "reads-ones"], """
[ 1000.1] Program SDP operation index 4 ROI 0 Group[0]
[ 1000.2] Assertion Fail("/home/u/sw/kmd/firmware/sdp.c"344):(reg == ((0x0UL)))
"""),
    ("interface of 2018", "error", 0, ["loadable"], """
[ 123.3] Prepare Convolution operation index 0 ROI 0 dep_count 1
[ 123.4] Enter: dla_prepare_operation
[ 123.5] processor:Convolution group:0, rdma_group:0 available
[ 123.9] Enter: dla_program_operation
[ 124.0] Program Convolution operation index 0 ROI 0 Group[0]
[ 124.1] Invalid src_data.mem_type: 9216
[ 124.2] Exit: dla_program_operation status=-3
[ 124.5] Exit: dla_initiate_processors status=-3
[ 124.6] Task execution failed
"""),
    ("atoms of another configuration", "error", 8, ["configuration"], """
Program Convolution operation index 8 ROI 0 Group[0]
Assertion Fail("kmd/firmware/conv.c"410):(conv_surface->dst_data.line_stride == ((uint32_t)(conv_surface->dst_data.width * atom_size)))
"""),
    ("buffers", "error", None, ["environment"], """
[  88.1] Enter:dla_read_network_config
[  88.2] Failed get dma_buf for handle=5
[  88.3] Exit:dla_read_network_config status=-3
[  88.4] Task execution failed
"""),
    ("virtual platform stops", "hang", 0, ["flush", "configuration"], """
[   85.9] Enter: dla_enable_operation
[   85.9] Enable Convolution operation index 0 ROI 0
Info: /IN_FILE: simulation stopped by user.
"""),
    ("descriptor overwritten", "hang", 1, ["loadable"], """
[  88.1] Completed SDP operation index 1 ROI 0
[  88.2] Fetched [op_type=2] from DRAM doesn't match with op_type[3]
[  88.3] Exit:dla_op_completion processor SDP group0 status=-3
[  88.4] Exit:dla_handle_events, ret:fffffffd
[  88.9] Enter:dla_handle_events, processor:RUBIK
[  89.0] Exit:dla_handle_events, ret:0
"""),
    ("errors only", "error", 3, ["?loadable", "configuration"], """
[  88.1] Prepare SDP operation index 3 ROI 0 dep_count 1
[  88.2] Failed to submit SDP op from index 3
[  88.3] Exit: dla_initiate_processors status=-3
[  88.4] Task execution failed
"""),
    ("refused while the first run hangs", "hang", 2, ["busy", "done-lost", "arming-lost", "interrupt-lost"], """
Enable PDP operation index 2 ROI 0
Enter: dla_op_enabled
Exit: dla_op_enabled
Exit: dla_initiate_processors status=0
Enter:dla_handle_events, processor:RUBIK
Exit:dla_handle_events, ret:0
INFO: task nvdla_runtime:812 blocked for more than 120 seconds.
Already some task in progressTask execution failed
"""),
    ("refused after a failed run", "error", 0, ["busy", "configuration", "loadable"], """
[ 124.0] Program BDMA operation index 0 ROI 0 Group[0]
[ 124.1] BDMA is not supported for this configuration
[ 124.5] Exit: dla_initiate_processors status=-3
[ 124.6] Task execution failed
[ 190.0] Already some task in progress
[ 190.1] Task execution failed
"""),
    ("line that stays active behind the task", "error", None, ["interrupt-stuck"], """
[  171.4] Completed SDP operation index 9 ROI 0
[  171.5] 10 HWLs done, totally 10 layers
[  171.6] reset engine done
Test pass
[  180.0] irq 47: nobody cared (try booting with the "irqpoll" option)
[  180.1] [<ffffff8000a5e0f8>] nvdla_engine_isr [opendla]
[  180.2] Disabling IRQ #47
"""),
    ("buffer at address 0", "hang", 0, ["environment"], WAITING.format(second="0")),
    ("two buffers at one address", "hang", 0, ["environment"], WAITING.format(second="0x40000000")),
    ("buffers of a second run", "good", None, ["good"], BUFFERS.format(second="0x40001000") * 2),
    ("two buffers at one address, a good end", "data", None, ["environment"], BUFFERS.format(second="0x40000000")),
    ("a poll that does not end, where one has ended before", "hang", 3, ["reads-zero", "flush"], START + "Enter:dla_handle_events, processor:BDMA\n" + WHOLE + POLL),
    ("the first poll, where no register has read anything", "hang", 3, ["reads-zero", "flush"], PROBE + armed("SDP", 4) + POLL),
    ("the first poll, of a log without its beginning", "hang", 3, ["flush", "reads-zero"], armed("SDP", 4) + POLL),
    ("status without bits after it had some", "hang", 2, ["reads-zero", "interrupt-stuck"], START + events(WHOLE + armed("PDP", 2)) + events() * 40),
    ("the only operation never ends", "hang", 0, ["done-lost", "interrupt-never"], PROBE + armed("CDP", 0) + WAIT),
    ("one interrupt, then none", "hang", 2, ["interrupt-lost", "arming-lost"], START + events(WHOLE + armed("PDP", 2))),
    ("the first operation of a unit never ends", "hang", 2, ["arming-lost", "done-lost"], START + events(WHOLE + armed("PDP", 2)) + events()),
    ("the second operation of a unit never ends", "hang", 5, ["done-lost", "arming-lost"],
     START + events(WHOLE + armed("PDP", 2)) + events(ended("PDP", 2, 3) + armed("PDP", 5)) + events()),
    ("interrupts stop", "hang", 5, ["interrupt-lost", "done-lost"],
     PROBE + armed("PDP", 2) + armed("SDP", 1) + armed("Convolution", 0) + WAIT + events() + events(ended("PDP", 2, 1)) + events(WHOLE + armed("PDP", 5))),
    ("a processor that serves interrupts behind the task", "error", None, ["interrupt-stuck"],
     BUFFERS.format(second="0x40001000") + "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [swapper/0:0]\n"),
    ("a buffer that could not be mapped", "hang", 0, ["environment"], WAITING.format(second="0xffffffffffffffff")),
    ("stall of another driver before", "good", None, ["good"], """
[    0.9] rcu: INFO: rcu_sched self-detected stall on CPU
[    1.0] SError Interrupt on CPU1, code 0xbf000002
[  171.1] 9 HWLs done, totally 10 layers
[  171.2] Enter:dla_op_completion processor SDP group1
[  171.3] Completed SDP operation index 9 ROI 0
[  171.4] 10 HWLs done, totally 10 layers
[  171.5] reset engine done
Test pass
[  180.0] SError Interrupt on CPU1, code 0xbf000002
"""),
]


def wrong(answer, verdict, layer, classes):
    found = [cause["cause"] for cause in answer["causes"]]
    certain = [cause["cause"] for cause in answer["causes"] if cause["certainty"] == "certain"]
    names = [name.lstrip("?") for name in classes]
    if answer["verdict"] != verdict:
        yield f"verdict {answer['verdict']}, expected {verdict}"
    if answer["layer"] != layer:
        yield f"layer {answer['layer']}, expected {layer}"
    if classes and (not found or found[0] not in (names if classes[0][0] == "?" else names[:1])):
        yield f"classes {found}, expected {classes}"
    if not set(certain) <= set(names):
        yield f"certain of {certain}, expected {names}"


for name, verdict, layer, classes, text in POSTS:
    for form in (text, text.replace("\n", "\r\n"), re.sub(r"^\[ *[0-9.]+\] ", "", text, flags=re.M)):
        faults = list(wrong(diagnose(sys.argv[1], form.encode()), verdict, layer, classes))
        check(name, not faults, "; ".join(faults))
finish()
