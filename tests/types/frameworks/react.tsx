// The elements in React 18 and 19.
import type {} from "lastinch/react";
import "lastinch/widgets/nucleus";
import { useRef } from "react";
import type { LastInchNucleus } from "lastinch/widgets/nucleus";

export function Lesson() {
  const widget = useRef<LastInchNucleus>(null);
  const told = (event: CustomEvent<{ name: string; value: unknown }>) =>
    console.log(event.detail.name, event.detail.value);
  return (
    <main>
      <lastinch-nucleus ref={widget} top-p="0.7" temperature={1.2} theme="dark" class="wide" onlastinch-change={told}>
        <table>
          <tbody />
        </table>
      </lastinch-nucleus>
      <lastinch-speculation scene="cost" style={{ width: "100%" }} key="cost" />
      {/* @ts-expect-error no such theme */}
      <lastinch-nucleus theme="blue" />
      {/* @ts-expect-error not a number */}
      <lastinch-nucleus top-p="much" />
      {/* @ts-expect-error no such scene */}
      <lastinch-speculation scene="price" />
      {/* @ts-expect-error no such element */}
      <lastinch-nucleos />
    </main>
  );
}
