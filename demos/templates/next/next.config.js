// Lets Node load lastinch itself, with its files beside it, so that models run in a Worker of the server.
export default { serverExternalPackages: ["lastinch"] };
