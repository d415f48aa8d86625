import { sql, type RawBuilder } from 'kysely'

/**
 * The texts as rows of a `from`: `from ${eachOf(names)} as names(name)`. For `unnest($1)` Postgres
 * estimates the number of rows from the list, and therefore plans a statement with a short list
 * again each time. For a JSON list it estimates a constant, and keeps one plan.
 */
export function eachOf(texts: readonly string[]): RawBuilder<unknown> {
  return sql`jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb)`
}
