// The configuration that a file's metadata describes.
#ifndef LI_CONFIG_H
#define LI_CONFIG_H

#include "lastinch.h"

// Reads and checks the configuration. vocab_size and tied come from the tensors.
li_status li_config_read(const li_gguf *gguf, li_model_config *config);

#endif
