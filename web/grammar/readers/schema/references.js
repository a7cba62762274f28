// Resolves the references of a JSON Schema: documents, the resources embedded in them ($id), anchors and pointers.
import { GrammarError } from "../../grammar-errors.js";
import { parseJson } from "../json-text.js";
import { isObject, keysOf, member } from "../json-value.js";
import { knownDialect, ownDialect, places, undeclared } from "./dialects.js";
import { metaSchema } from "./pattern-tools.js";

/** @typedef {import("./dialects.js").Dialect} Dialect */
/** @typedef {object | boolean} Schema */
/**
 * The target of a reference. The path is a JSON pointer; in a remote schema it comes after the document's URI.
 * @typedef {{ resource: Resource, schema: any, path: string }} Target
 */

/** A schema with its own base URI: a document, or a part of it that has an $id. */
export class Resource {
  /** @type {Map<string, Target>} also of $dynamicAnchor */
  anchors = new Map();
  /** @type {Map<string, Target>} "" is the target of $recursiveAnchor */
  dynamicAnchors = new Map();
  /** @type {Map<object, Resource>} embedded resources, by their schema */
  children = new Map();
  /** @type {Set<object> | undefined} the subschemas visited in the search for anchors */
  seen = undefined;

  /**
   * @param {string} uri without a fragment
   * @param {any} root
   * @param {Dialect} dialect
   * @param {string} path
   * @param {Resource} [document] the resource of the whole document, if different
   */
  constructor(uri, root, dialect, path, document) {
    this.uri = uri;
    this.root = root;
    this.dialect = dialect;
    this.path = path;
    /** @type {Resource} */
    this.document = document ?? this;
  }
}

/** A base for relative references of schemas that have no URI. */
const nowhere = "schema:///";

/** @param {string} reference @param {string} base */
function absolute(reference, base) {
  try {
    return new URL(reference, base).href;
  } catch {
    return undefined;
  }
}

/** @param {string} token a key @returns {string} as a step of a JSON pointer */
export const step = (token) => "/" + token.replaceAll("~", "~0").replaceAll("/", "~1");

export class Library {
  /** @type {Map<string, Resource>} by URI */
  #resources = new Map();
  /** @type {Map<string, any> | undefined} by URI */
  #remotes = undefined;
  /** @type {IterableIterator<string> | undefined} the remotes that were not searched yet */
  #names = undefined;
  #given;
  #fail;
  #warn;

  /**
   * @param {any} schema
   * @param {Record<string, any>} remotes
   * @param {(reason: string, code?: import("../../../core/errors.js").ErrorCode) => never} fail
   * @param {(path: string, keyword: string, reason: string) => void} warn
   */
  constructor(schema, remotes, fail, warn) {
    this.#given = remotes;
    this.#fail = fail;
    this.#warn = warn;
    this.root = this.#document(nowhere, schema, "", undeclared);
  }

  /**
   * @param {string} uri of the schema
   * @param {any} schema
   * @param {string} path
   * @param {Dialect} inherited for a schema that names no dialect
   */
  #document(uri, schema, path, inherited) {
    const resource = new Resource(uri, schema, this.#dialect(schema, path) ?? inherited, path);
    this.#resources.set(uri, resource);
    const id = isObject(schema) && this.#ownId(schema, resource.dialect);
    if (id) {
      resource.uri = this.#absoluteId(id, uri, path) ?? uri;
      if (!this.#resources.has(resource.uri)) this.#resources.set(resource.uri, resource);
    }
    return resource;
  }

  /** The dialect that a schema declares. @param {any} schema @param {string} path @returns {Dialect | undefined} */
  #dialect(schema, path) {
    const uri = isObject(schema) ? member(schema, "$schema") : undefined;
    if (typeof uri !== "string") return undefined;
    const known = knownDialect(uri);
    if (known) return known;
    if (/json-schema\.org\/draft-0[0-3]\//.test(uri)) this.#fail(`$schema: ${uri} is not supported.`, "grammar-schema");
    const found = this.#remote(absolute(uri, nowhere)?.replace(/#$/, "") ?? uri);
    if (isObject(found)) {
      const own = ownDialect(found);
      if (typeof own === "string") return this.#fail(`$schema: the vocabulary ${own} is not known.`, "grammar-schema");
      return own;
    }
    this.#warn(path, "$schema", `${uri} is not known; the schema is read as draft 2020-12.`);
    return undefined;
  }

  /** The URI that a schema gives itself, if any. @param {object} schema @param {Dialect} dialect */
  #ownId(schema, dialect) {
    const id = member(schema, dialect.idWord);
    if (typeof id !== "string" || (dialect.refStandsAlone && typeof member(schema, "$ref") === "string")) return "";
    const hash = id.indexOf("#");
    return hash < 0 ? id : id.slice(0, hash);
  }

  /** @param {string} id @param {string} base @param {string} path */
  #absoluteId(id, base, path) {
    const uri = absolute(id, base);
    if (uri === undefined) this.#warn(path, "$id", `${JSON.stringify(id)} is not a URI, and is ignored.`);
    return uri;
  }

  /**
   * The resource of a subschema, which is its own if it has an $id.
   * @param {Resource} resource of the schema around it
   * @param {any} schema
   * @param {() => string} path of the subschema
   */
  enter(resource, schema, path) {
    if (schema === resource.root) return resource;
    const declared = member(schema, "$schema");
    const known = typeof declared === "string" ? knownDialect(declared) : undefined;
    if (member(schema, (known ?? resource.dialect).idWord) === undefined) return resource;
    const child = resource.children.get(schema);
    if (child) return child;
    const id = this.#ownId(schema, known ?? resource.dialect);
    const uri = id && this.#absoluteId(id, resource.uri, path());
    let entered = resource;
    if (uri && uri !== resource.uri) {
      const dialect = known ?? this.#dialect(schema, path()) ?? resource.dialect;
      entered = new Resource(uri, schema, dialect, path(), resource.document);
      if (!this.#resources.has(uri)) this.#resources.set(uri, entered);
    }
    resource.children.set(schema, entered);
    return entered;
  }

  /**
   * @param {Resource} resource that contains the reference
   * @param {string} reference
   * @returns {Target & { dynamic?: string }} `dynamic`: the $dynamicAnchor that named the target
   */
  resolve(resource, reference) {
    const hash = reference.indexOf("#");
    const uri = hash < 0 ? reference : reference.slice(0, hash);
    const target = uri === "" ? resource : this.#find(uri, resource);
    let fragment = hash < 0 ? "" : reference.slice(hash + 1);
    if (fragment.includes("%"))
      try {
        fragment = decodeURIComponent(fragment);
      } catch {
        this.#fail(`${JSON.stringify(reference)} has a wrong percent-encoding.`);
      }
    if (fragment === "") return { resource: target, schema: target.root, path: target.path };
    if (fragment.startsWith("/")) {
      const found = this.#follow(target, fragment);
      if (found) return found;
      const outer = target === target.document ? undefined : this.#follow(target.document, fragment);
      if (!outer) return this.#fail(`${JSON.stringify(reference)}: there is nothing at that place.`);
      this.#warn(resource.path, "$ref", `${reference} was found from the document's root, not from the nearest "$id".`);
      return outer;
    }
    this.scan(target.document);
    const found = target.anchors.get(fragment);
    if (!found) return this.#fail(`${JSON.stringify(reference)}: there is no such anchor.`);
    return target.dynamicAnchors.get(fragment) === found ? { ...found, dynamic: fragment } : found;
  }

  /** @param {string} reference @param {Resource} from @returns {Resource} */
  #find(reference, from) {
    const uri = absolute(reference, from.uri);
    if (uri === undefined) return this.#fail(`${JSON.stringify(reference)} is no URI, or needs an absolute "$id".`);
    const known = () => this.#resources.get(uri);
    if (known()) return /** @type {Resource} */ (known());
    this.scan(from.document);
    if (known()) return /** @type {Resource} */ (known());
    if (this.#remote(uri) !== undefined) return this.#load(uri);
    // The target may be inside a remote schema, or be its $id.
    for (const other of this.#unread()) {
      this.scan(this.#resources.get(other) ?? this.#load(other));
      if (known()) break;
    }
    return known() ?? this.#fail(`${JSON.stringify(reference)}: give the schema of ${uri} in the option "remotes".`);
  }

  /** @param {string} uri @returns {any} a schema as it was given */
  #remote(uri) {
    if (!this.#remotes) {
      this.#remotes = new Map();
      for (const key of Object.keys(this.#given))
        this.#remotes.set((absolute(key, nowhere) ?? key).replace(/#$/, ""), this.#given[key]);
    }
    const found = this.#remotes.get(uri) ?? metaSchema(uri);
    if (typeof found !== "string") return found;
    const parsed = parseJson(found);
    this.#remotes.set(uri, parsed);
    return parsed;
  }

  /** The remotes in turn, each only once in all calls. */
  *#unread() {
    this.#names ??= /** @type {Map<string, any>} */ (this.#remotes).keys();
    for (let next = this.#names.next(); !next.done; next = this.#names.next()) yield next.value;
  }

  /** @param {string} uri of a remote */
  #load(uri) {
    return this.#document(uri, this.#remote(uri), uri + "#", this.root?.dialect ?? undeclared);
  }

  /** The target of a JSON pointer. @param {Resource} resource @param {string} pointer @returns {Target | undefined} */
  #follow(resource, pointer) {
    let schema = resource.root;
    let path = resource.path;
    /** @type {"schema" | "one" | "list" | "map" | undefined} the kind of the current value; undefined: not a place of schemas */
    let place = "schema";
    for (const token of pointer.slice(1).split("/")) {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(schema)) schema = /^(0|[1-9][0-9]*)$/.test(key) ? schema[Number(key)] : undefined;
      else schema = isObject(schema) ? member(schema, key) : undefined;
      if (schema === undefined) return undefined;
      path += step(key);
      if (place === "schema") place = places.get(key);
      else place = place && "schema";
      if (place === "one") place = Array.isArray(schema) ? "list" : "schema";
      if (place === "schema" && isObject(schema)) resource = this.enter(resource, schema, () => path);
    }
    // A pointer may lead into an unknown keyword: its value then counts as a schema.
    if (isObject(schema)) resource = this.enter(resource, schema, () => path);
    return { resource, schema, path };
  }

  /** Finds the anchors and embedded resources of a document. @param {Resource} document */
  scan(document) {
    if (document.seen) return;
    document.seen = new Set();
    /** @type {Target[]} */
    const open = [{ resource: document, schema: document.root, path: document.path }];
    for (let target = open.pop(); target; target = open.pop()) {
      const { schema, path } = target;
      if (!isObject(schema)) continue;
      const resource = this.enter(target.resource, schema, () => path);
      resource.seen ??= new Set();
      if (resource.seen.has(schema)) continue;
      resource.seen.add(schema);
      this.#noteAnchors({ resource, schema, path });
      for (const key of keysOf(schema)) {
        const place = places.get(key);
        const value = place && member(schema, key);
        if (typeof value !== "object") continue;
        if (place === "one" && !Array.isArray(value)) open.push({ resource, schema: value, path: path + "/" + key });
        else if (Array.isArray(value))
          value.forEach((part, at) => open.push({ resource, schema: part, path: `${path}/${key}/${at}` }));
        else if (place === "map" && isObject(value))
          for (const name of keysOf(value))
            open.push({ resource, schema: member(value, name), path: `${path}/${key}${step(name)}` });
      }
    }
  }

  /** @param {Target} target */
  #noteAnchors(target) {
    const { anchors, dynamicAnchors, dialect } = target.resource;
    /** @param {Map<string, Target>} map @param {unknown} name */
    const note = (map, name) => {
      if (typeof name === "string" && !map.has(name)) map.set(name, target);
    };
    if (dialect.draft >= 2019) note(anchors, member(target.schema, "$anchor"));
    else if (!(typeof member(target.schema, "$ref") === "string")) {
      const id = member(target.schema, dialect.idWord);
      if (typeof id === "string" && /#[^/]/.test(id)) note(anchors, id.slice(id.indexOf("#") + 1));
    }
    if (dialect.draft === 2020) {
      note(anchors, member(target.schema, "$dynamicAnchor"));
      note(dynamicAnchors, member(target.schema, "$dynamicAnchor"));
    }
    if (
      dialect.draft === 2019 &&
      target.schema === target.resource.root &&
      member(target.schema, "$recursiveAnchor") === true
    )
      note(dynamicAnchors, "");
  }
}

/** The limit of anchors in all scopes together. */
const ANCHORS_LIMIT = 1_000_000;

/** The dynamic anchors in scope at a subschema: the outermost for each name. */
export class Scope {
  /** @type {Map<Resource, Scope>} */
  #next = new Map();

  /**
   * @param {Map<string, Target>} anchors
   * @param {{ byKey: Map<string, Scope>, size: number }} [all] every scope, and how many anchors they have together
   */
  constructor(anchors, all = { byKey: new Map(), size: 0 }) {
    this.anchors = anchors;
    this.all = all;
  }

  /** The scope within a resource that is entered. @param {Resource} resource @returns {Scope} */
  enter(resource) {
    const known = this.#next.get(resource);
    if (known) return known;
    const added = [...resource.dynamicAnchors].filter(([name]) => !this.anchors.has(name));
    /** @type {Scope} */
    let scope = this;
    if (added.length > 0) {
      const anchors = new Map([...this.anchors, ...added]);
      this.all.size += anchors.size;
      if (this.all.size > ANCHORS_LIMIT)
        throw new GrammarError("grammar-fuel", `more than ${ANCHORS_LIMIT} dynamic anchors in scopes.`);
      const key = JSON.stringify([...anchors].map(([name, target]) => [name, target.path]).sort());
      scope = this.all.byKey.get(key) ?? new Scope(anchors, this.all);
      this.all.byKey.set(key, scope);
    }
    this.#next.set(resource, scope);
    return scope;
  }
}
