import type { ApiDocument, Schema } from './document';

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
