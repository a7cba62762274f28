// Node then loads lastinch itself, with its files beside it: models run in a Worker of the server.
export default { serverExternalPackages: ["lastinch"] };
