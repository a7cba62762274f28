// The second pass: how many logits lie how far below the largest.
export const histogramPass = /* wgsl */ `
var<workgroup> counts: array<atomic<u32>, BIN_COUNT>;
var<workgroup> rests: array<atomic<u32>, BIN_COUNT>;

@compute @workgroup_size(threads)
fn main(@builtin(global_invocation_id) at: vec3<u32>, @builtin(local_invocation_index) thread: u32,
        @builtin(num_workgroups) groups: vec3<u32>) {
  let peak = fixed_of(atomicLoad(&part[PEAK]));
  for (var id = at.x; id < params.size; id += groups.x * threads) {
    let key = key_at(id);
    if (key == 0u) { continue; }
    let bin = bin_of(peak, key);
    atomicAdd(&counts[bin.x], 1u);
    atomicAdd(&rests[bin.x], bin.y);
  }
  workgroupBarrier();
  for (var bin = thread; bin < BIN_COUNT; bin += threads) {
    let count = atomicLoad(&counts[bin]);
    if (count == 0u) { continue; }
    atomicAdd(&part[COUNTS + bin], count);
    atomicAdd(&part[RESTS + bin], atomicLoad(&rests[bin]));
  }
}
`;
