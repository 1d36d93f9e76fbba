const DEEPEST = 4;

/** A schema as people write types: names of fields, `?` for those that may be left out. */
export function shapeOf(schema: Schema, document: ApiDocument, depth = 0): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    const target = document.components.schemas[name];
    return target && depth < DEEPEST ? shapeOf(target, document, depth) : name;
  }
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return [...new Set(variants.map((one) => shapeOf(one, document, depth)))].join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.items) return `[${shapeOf(schema.items, document, depth)}, …]`;
  if (schema.properties) return objectShape(schema, document, depth);
  if (typeof schema.additionalProperties === 'object') {
    return `{ name: ${shapeOf(schema.additionalProperties, document, depth + 1)}, … }`;
  }
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'anything');
  return schema.format ? `${type} (${schema.format})` : type;
}

function objectShape(schema: Schema, document: ApiDocument, depth: number): string {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return '{}';
  if (depth >= DEEPEST) return '{…}';
  const indent = '  '.repeat(depth + 1);
  const lines = fields.map(([name, field]) => {
    const optional = schema.required?.includes(name) ? '' : '?';
    return `${indent}${name}${optional}: ${shapeOf(field, document, depth + 1)}`;
  });
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`;
}

/** The parts of an OpenAPI 3.1 document that the page shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema }>;

export interface Operation {
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description?: string; content?: Content }>;
  'x-caller': string;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

/** The operations that contain every word of the search, by their tag. */
export function entriesByTag(document: ApiDocument, search: string): Map<string, Entry[]> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Map<string, Entry[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const text = `${method} ${path} ${operation.description ?? ''} ${operation['x-caller']}`.toLowerCase();
      if (!words.every((word) => text.includes(word))) continue;
      const tag = operation.tags?.[0] ?? 'other';
      found.set(tag, [...(found.get(tag) ?? []), { method: method.toUpperCase(), path, operation }]);
    }
  }
  return found;
}
