/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nvdla_selftest - plays programs that `nvcosim export --to c` made from
 * traces, as a driver does: registers through BAR0, memory from the DMA API,
 * and sleep until the interrupt.
 *
 * Traces have memory at addresses of their own. Each block of it gets a DMA
 * buffer when the program first touches it, or names it in an address register,
 * and addresses are translated where they are written to such a register.
 *
 * The function is reset before each program: a trace begins after reset. For
 * each program lines in the kernel's log:
 *   NAME: PASS checks=2 ... / NAME: interrupts=1 cleared=1 timeouts=0
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/irq.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "addresses.h"
#include "programs.h"
#include "selftest.h"

#define BLOCK_BITS 20
#define BLOCK_BYTES (1u << BLOCK_BITS)
#define BLOCKS 96
#define TIMED 10000
#define MASK 0x1004
#define STATUS 0x100c
#define LONGEST (600 * HZ)
#define LOST (60 * HZ) /* an interrupt that has not come until then */

struct block {
	u64 number; /* address in the trace >> BLOCK_BITS, by memory space */
	void *bytes;
	dma_addr_t bus;
};

static struct {
	struct device *dev;
	void __iomem *window;
	int irq;
	bool level; /* INTx: the line stays high until the program clears the status */
	wait_queue_head_t queue;
	bool fired;
	unsigned int interrupts, cleared, slept;
	unsigned long since;
	struct block blocks[BLOCKS];
	unsigned int block_count;
	char line[4096];
} test;

/* ---- memory ---- */

static struct block *find_block(int space, u64 address)
{
	const u64 number = address >> BLOCK_BITS | (u64)space << 48;
	struct block *block;
	unsigned int i;

	for (i = 0; i < test.block_count; i++)
		if (test.blocks[i].number == number)
			return &test.blocks[i];
	if (test.block_count == BLOCKS)
		return NULL;
	block = &test.blocks[test.block_count];
	block->bytes = dma_alloc_coherent(test.dev, BLOCK_BYTES, &block->bus, GFP_KERNEL);
	if (!block->bytes)
		return NULL;
	block->number = number;
	test.block_count++;
	return block;
}

static void free_blocks(void)
{
	while (test.block_count > 0) {
		const struct block *block = &test.blocks[--test.block_count];

		dma_free_coherent(test.dev, BLOCK_BYTES, block->bytes, block->bus);
	}
}

/* A part of n bytes that lies in one block; NULL: there is no memory. */
static void *place(int space, u64 address, u32 *n)
{
	struct block *block = find_block(space, address);
	const u32 at = address & (BLOCK_BYTES - 1);

	if (*n > BLOCK_BYTES - at)
		*n = BLOCK_BYTES - at;
	if (!block)
		dev_err_once(test.dev, "no DMA memory for 0x%llx\n", address);
	return block ? block->bytes + at : NULL;
}

void selftest_put(int space, u64 address, const void *bytes, u32 n)
{
	u32 part;

	for (; n > 0; n -= part, address += part, bytes += part) {
		void *to;

		part = n;
		to = place(space, address, &part);
		if (to)
			memcpy(to, bytes, part);
	}
}

void selftest_get(int space, u64 address, void *bytes, u32 n)
{
	u32 part;

	for (; n > 0; n -= part, address += part, bytes += part) {
		const void *from;

		part = n;
		from = place(space, address, &part);
		if (from)
			memcpy(bytes, from, part);
		else
			memset(bytes, 0, part);
	}
}

/* ---- registers ---- */

static bool is_address(u32 offset)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nvdla_address_registers); i++)
		if (nvdla_address_registers[i] == offset)
			return true;
	return false;
}

u32 selftest_read(u32 offset)
{
	const u32 value = readl(test.window + offset);
	unsigned int i;

	for (i = 0; is_address(offset) && i < test.block_count; i++)
		if (value - (u32)test.blocks[i].bus < BLOCK_BYTES)
			return (u32)(test.blocks[i].number << BLOCK_BITS) + (value - (u32)test.blocks[i].bus);
	return value;
}

/*
 * The program also reads the status, and may have seen it before the interrupt
 * came. Cleared then, the line falls, and the interrupt never comes: so the
 * first one of a program is waited for.
 */
static void before_clear(void)
{
	if (!READ_ONCE(test.interrupts) && readl(test.window + STATUS) & ~readl(test.window + MASK))
		wait_event_timeout(test.queue, READ_ONCE(test.interrupts), LOST);
	test.cleared++;
}

void selftest_write(u32 offset, u32 value)
{
	if (is_address(offset) && value >= SELFTEST_MEMORY) {
		const struct block *block = find_block(0, value);

		if (block)
			value = (u32)block->bus + (value & (BLOCK_BYTES - 1));
	}
	if (offset == STATUS && value != 0)
		before_clear();
	writel(value, test.window + offset);
}

/* ---- time ---- */

static irqreturn_t selftest_interrupt(int irq, void *context)
{
	if (test.level)
		disable_irq_nosync(irq);
	WRITE_ONCE(test.interrupts, test.interrupts + 1);
	WRITE_ONCE(test.fired, true);
	wake_up(&test.queue);
	return IRQ_HANDLED;
}

/* Ready for the next interrupt. A level that is still high interrupts again at once. */
static void listen(void)
{
	if (!READ_ONCE(test.fired))
		return;
	WRITE_ONCE(test.fired, false);
	if (test.level)
		enable_irq(test.irq);
}

/* A line that was shown stays up until all of its bits are cleared: MSI tells nothing of a second one, so no one sleeps long. */
void selftest_wait(void)
{
	test.slept += !wait_event_timeout(test.queue, READ_ONCE(test.fired), HZ / 10);
	listen();
}

void selftest_delay(void)
{
	usleep_range(20, 100);
}

bool selftest_expired(u32 tries)
{
	if (tries == 0)
		test.since = jiffies;
	return time_after(jiffies, test.since + LONGEST);
}

void selftest_print(const char *text)
{
	strlcat(test.line, text, sizeof(test.line));
}

/* ---- programs ---- */

static void print_lines(const char *name)
{
	char *rest = test.line, *line;

	while ((line = strsep(&rest, "\n")))
		if (line[0])
			dev_info(test.dev, "%s: %s\n", name, line);
	test.line[0] = '\0';
}

static bool play(const struct selftest_program *program)
{
	bool good;

	if (pci_reset_function(to_pci_dev(test.dev->parent))) {
		dev_err(test.dev, "%s: FAIL the function cannot be reset\n", program->name);
		return false;
	}
	test.interrupts = test.cleared = test.slept = 0;
	good = program->play() == 0;
	print_lines(program->name);
	dev_info(test.dev, "%s: interrupts=%u cleared=%u timeouts=%u\n", program->name, test.interrupts, test.cleared, test.slept);
	listen();
	free_blocks();
	return good && test.interrupts > 0;
}

/* What an access costs a driver. */
static void measure(void)
{
	u64 start = ktime_get_ns(), reads, writes;
	int i;

	for (i = 0; i < TIMED; i++)
		(void)readl(test.window + STATUS);
	reads = ktime_get_ns() - start;
	start = ktime_get_ns();
	for (i = 0; i < TIMED; i++)
		writel(0, test.window + STATUS);
	writes = ktime_get_ns() - start;
	dev_info(test.dev, "register read %llu ns, posted write %llu ns\n", reads / TIMED, writes / TIMED);
}

static int selftest_probe(struct platform_device *pdev)
{
	unsigned int i, failed = 0;
	int err;

	test.dev = &pdev->dev;
	init_waitqueue_head(&test.queue);
	test.window = devm_platform_ioremap_resource(pdev, 0);
	if (IS_ERR(test.window))
		return PTR_ERR(test.window);
	test.irq = platform_get_irq(pdev, 0);
	if (test.irq < 0)
		return test.irq;
	test.level = irq_get_trigger_type(test.irq) & IRQ_TYPE_LEVEL_MASK;
	err = devm_request_irq(&pdev->dev, test.irq, selftest_interrupt, 0, "nvdla_selftest", &test);
	if (err)
		return err;
	measure();
	for (i = 0; i < ARRAY_SIZE(selftest_programs); i++)
		failed += !play(&selftest_programs[i]);
	dev_info(test.dev, "%s: %u programs by %s, %u failed\n", failed ? "FAILED" : "PASSED", i, test.level ? "INTx" : "MSI", failed);
	return 0;
}

static const struct platform_device_id selftest_ids[] = {
	{ .name = "nv_small" }, { .name = "nv_large" }, { .name = "nvdla_os_initial" }, { }
};
MODULE_DEVICE_TABLE(platform, selftest_ids);

static struct platform_driver selftest_driver = {
	.probe = selftest_probe,
	.id_table = selftest_ids,
	.driver = { .name = "nvdla_selftest" },
};
module_platform_driver(selftest_driver);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Plays traces on NVDLA");
