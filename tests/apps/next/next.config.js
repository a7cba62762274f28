const headers = [
  { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
  { key: "Cross-Origin-Embedder-Policy", value: "require-corp" },
];

// Isolated pages may use threads; nothing here is for lastinch itself.
export default { headers: async () => [{ source: "/:path*", headers }] };
