// Tells Vue that the widgets are elements, not missing components.
export default defineNuxtConfig({
  vue: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("lastinch-") } },
  // The development server of Vite 7 and older would bundle lastinch without the files beside its scripts.
  vite: { optimizeDeps: { exclude: ["lastinch"] } },
});
