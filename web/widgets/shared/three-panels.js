// Three panels in a row or in a column, never two and one.
import { css } from "lit";

export const threePanels = css`
  .panels.three {
    grid-template-columns: repeat(auto-fit, minmax(clamp((100% - 2.1rem) / 3, (33rem - 100%) * 999, 100%), 1fr));
  }
`;
