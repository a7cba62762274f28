// Switches and answers: a box or a button with its words, 44 px high.
import { css } from "lit";

export const checkStyles = css`
  .check {
    display: flex;
    gap: 0.5rem;
    align-items: center;
    min-height: 2.75rem;
  }
  .check input {
    flex: none;
    width: 1.25rem;
    height: 1.25rem;
    accent-color: var(--accent);
  }
`;
