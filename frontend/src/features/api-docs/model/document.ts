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
