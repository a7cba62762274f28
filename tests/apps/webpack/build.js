import webpack from "webpack";

webpack({ mode: "production", entry: "./main.js" }, (error, stats) => {
  console.log(error ?? stats?.toString({ colors: false }));
  process.exitCode = error || stats?.hasErrors() ? 1 : 0;
});
