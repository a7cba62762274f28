import { Story } from "./story.js";

export default function Page() {
  return <Story />;
}
