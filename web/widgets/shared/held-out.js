// A story in the manner of the storyteller's training texts, written for these pages: no model was trained on it.

export const heldOut =
  "One rainy morning, a girl named Nora found a small green boat under the stairs. It had a hole in its side. " +
  '"Can you help me fix it?" she asked her grandpa. Grandpa looked at the boat and smiled. He took some wax from the ' +
  "kitchen and they filled the hole together. After lunch the rain stopped, and there was a big puddle in the garden. " +
  "Nora put the boat on the water and blew as hard as she could. The boat sailed to the other side, where a frog was " +
  'sitting on a stone. The frog jumped in and the boat tipped over. Nora laughed. "He wants to be the captain," she ' +
  "said. So she made a hat out of a leaf and put it next to the stone. The frog did not wear the hat, but he came back " +
  "every time it rained.";
