"use client";
import { loadModel } from "lastinch";
import storyteller from "lastinch/models/storyteller";
import "lastinch/widgets/nucleus";
import { useRef, useState } from "react";

export function Story() {
  const [status, setStatus] = useState("");
  const [story, setStory] = useState("");
  const loading = useRef();
  const writing = useRef();

  async function write(event) {
    event.preventDefault();
    writing.current?.abort();
    const { signal } = (writing.current = new AbortController());
    const prompt = new FormData(event.currentTarget).get("prompt");
    try {
      setStatus("Loading the model …");
      const model = await (loading.current ??= loadModel(storyteller));
      if (signal.aborted) return;
      setStatus("Writing …");
      setStory(prompt);
      const options = { maxTokens: 100, temperature: 0.7, topP: 0.9, signal };
      for await (const { text } of model.generate(prompt, options)) setStory((story) => story + text);
      if (!signal.aborted) setStatus("Done.");
    } catch (error) {
      loading.current = undefined;
      setStatus(error.message);
    }
  }

  return (
    <>
      <form onSubmit={write}>
        <label>
          Begin the story: <input name="prompt" defaultValue="Once upon a time" />
        </label>
        <button>Write</button>
      </form>
      <p role="status">{status}</p>
      <p id="story">{story}</p>
      <lastinch-nucleus top-p="0.7" />
    </>
  );
}
