// What WebGPU gives, as far as it is used here: TypeScript's own library has no WebGPU yet.

/**
 * A GPUBuffer.
 * @typedef {object} DeviceBuffer
 * @property {number} size
 * @property {number} usage
 * @property {any} [label]
 */

/**
 * A GPUDevice.
 * @typedef {object} Device
 * @property {any} limits
 * @property {any} queue
 * @property {any} lost
 * @property {(descriptor: any) => any} createBuffer
 * @property {(descriptor: any) => any} createBindGroup
 * @property {(descriptor: any) => any} createBindGroupLayout
 * @property {(descriptor: any) => any} createPipelineLayout
 * @property {(descriptor: any) => any} createShaderModule
 * @property {(descriptor: any) => Promise<any>} createComputePipelineAsync
 * @property {(descriptor?: any) => any} createCommandEncoder
 * @property {(filter: any) => any} pushErrorScope
 * @property {() => Promise<any>} popErrorScope
 */

/**
 * Where a row of `vocabSize` logits lies on a GPU.
 * @typedef {object} RowOnDevice
 * @property {Device} device the GPUDevice of the buffer
 * @property {number} [offset] of the row in the buffer, in bytes: a multiple of 256; default 0
 * @property {"f32" | "f16"} [type] of the logits; default "f32"
 * @property {boolean} [wake] submits nothing to the device again and again while a read is pending, which may shorten the
 *   wait where the browser looks for finished work only now and then. Default: false
 */

export {};
