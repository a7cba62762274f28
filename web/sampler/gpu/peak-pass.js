// The first pass: the largest logit, and how many logits are NaN or infinite.
export const peakPass = /* wgsl */ `
var<workgroup> highest: atomic<u32>;
var<workgroup> strange: atomic<u32>;

@compute @workgroup_size(threads)
fn main(@builtin(global_invocation_id) at: vec3<u32>, @builtin(local_invocation_index) thread: u32,
        @builtin(num_workgroups) groups: vec3<u32>) {
  var peak = 0u;
  var found = 0u;
  for (var id = at.x; id < params.size; id += groups.x * threads) {
    peak = max(peak, key_at(id));
    if (is_allowed(id) && is_strange(bits_at(id))) { found += 1u; }
  }
  atomicMax(&highest, peak);
  if (found > 0u) { atomicAdd(&strange, found); }
  workgroupBarrier();
  if (thread == 0u) {
    atomicMax(&part[PEAK], atomicLoad(&highest));
    atomicAdd(&part[STRANGE], atomicLoad(&strange));
  }
}
`;
