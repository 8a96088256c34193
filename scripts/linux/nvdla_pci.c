/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nvdla_pci - gives a platform driver of NVDLA the PCI function of
 * `nvcosim serve`: a platform device with BAR0 and one interrupt as its
 * resources.
 *
 * The name of the platform device is what the driver knows its configuration
 * by; a driver that only matches device trees needs a platform_device_id table
 * beside that (docs/live.md).
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

#define NVDLA_PCI_VENDOR 0x1d1d
#define NVDLA_PCI_DEVICE 0x5d1a

static char *config = "nv_small";
module_param(config, charp, 0444);
MODULE_PARM_DESC(config, "name of the platform device: nv_small, nv_large, nvdla_os_initial");

static bool msi = true;
module_param(msi, bool, 0444);
MODULE_PARM_DESC(msi, "interrupts by MSI (default), else by INTx");

static int nvdla_pci_child(struct pci_dev *pci)
{
	struct platform_device_info info = {};
	struct platform_device *child;
	struct resource res[2] = {};

	/* Not requested here: the platform driver does. */
	res[0] = (struct resource)DEFINE_RES_MEM(pci_resource_start(pci, 0), pci_resource_len(pci, 0));
	res[0].parent = &pci->resource[0];
	res[1] = (struct resource)DEFINE_RES_IRQ(pci_irq_vector(pci, 0));

	info.parent = &pci->dev;
	info.name = config;
	info.id = PLATFORM_DEVID_NONE;
	info.res = res;
	info.num_res = ARRAY_SIZE(res);
	info.dma_mask = DMA_BIT_MASK(32);
	child = platform_device_register_full(&info);
	if (IS_ERR(child))
		return PTR_ERR(child);
	pci_set_drvdata(pci, child);
	return 0;
}

static int nvdla_pci_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	int err;

	err = pcim_enable_device(pci);
	if (err)
		return err;
	pci_set_master(pci);
	err = dma_set_mask_and_coherent(&pci->dev, DMA_BIT_MASK(32));
	if (err)
		return err;
	err = pci_alloc_irq_vectors(pci, 1, 1, msi ? PCI_IRQ_MSI : PCI_IRQ_INTX);
	if (err < 0)
		return err;
	err = nvdla_pci_child(pci);
	if (err) {
		pci_free_irq_vectors(pci);
		return err;
	}
	pci_info(pci, "%s, irq %d (%s)\n", config, pci_irq_vector(pci, 0), pci_dev_msi_enabled(pci) ? "MSI" : "INTx");
	return 0;
}

static void nvdla_pci_remove(struct pci_dev *pci)
{
	platform_device_unregister(pci_get_drvdata(pci));
	pci_free_irq_vectors(pci);
}

static const struct pci_device_id nvdla_pci_ids[] = {
	{ PCI_DEVICE(NVDLA_PCI_VENDOR, NVDLA_PCI_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, nvdla_pci_ids);

static struct pci_driver nvdla_pci_driver = {
	.name = "nvdla_pci",
	.id_table = nvdla_pci_ids,
	.probe = nvdla_pci_probe,
	.remove = nvdla_pci_remove,
};
module_pci_driver(nvdla_pci_driver);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("PCI glue for platform drivers of NVDLA");
