"use client";
import { compileGrammar, createSampler, loadModel } from "lastinch";
import draft from "lastinch/models/draft";
import { useEffect, useState } from "react";
import { tell } from "../../story.js";

export function Story() {
  const [told, setTold] = useState("");
  useEffect(() => {
    tell({ compileGrammar, createSampler, loadModel }, draft).then((told) => setTold(JSON.stringify(told)));
  }, []);
  return <main>{told}</main>;
}
