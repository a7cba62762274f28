/** @jsxImportSource preact */
// The elements in Preact.
import type {} from "lastinch/preact";

export const Lesson = () => (
  <main>
    <lastinch-nucleus top-p="0.7" temperature={1.2} class="wide" onlastinch-change={({ detail }) => detail.name.length}>
      <table />
    </lastinch-nucleus>
    {/* @ts-expect-error no such theme */}
    <lastinch-nucleus theme="blue" />
    {/* @ts-expect-error no such element */}
    <lastinch-nucleos />
  </main>
);
