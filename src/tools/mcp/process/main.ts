import { z } from 'zod'
import type { JsonObject } from '#domain/json/json.ts'
import { validateWith } from '../../custom/process/adapt-defined-tool.ts'
import { canonicalInput } from '../../custom/process/parse-input.ts'
import { holdLifeline } from '../../custom/process/lifeline.ts'
import { serveQueries, sendToParent } from '../../custom/process/serve-queries.ts'
import type { McpQuery } from '../mcp-protocol.ts'
import { ServerSession } from './server-session.ts'

/** Entry of an MCP server's process: a hostile server damages nothing else. */
holdLifeline()

let session: ServerSession | null = null

await serveQueries<McpQuery>(async (query, signal) => {
  switch (query.do) {
    case 'open':
      session = new ServerSession(query.connection, (message) => sendToParent({ ended: message }))
      return null
    case 'list':
      return requireSession().list(signal)
    case 'parse': {
      const schema = schemaOf(query.schema)
      return canonicalInput(async (value) => validateWith(schema, value), query.input)
    }
    case 'check': {
      const checked = await validateWith(schemaOf(query.schema), query.value)
      return checked.ok ? [] : checked.problems
    }
    case 'call':
      return requireSession().call(query, signal)
  }
})

function requireSession(): ServerSession {
  if (session === null) throw new Error('The setup does not name a server')
  return session
}

/** A schema that cannot be evaluated accepts every object: the server validates for itself. */
function schemaOf(schema: JsonObject): z.ZodType {
  try {
    return z.fromJSONSchema(schema)
  } catch {
    return z.record(z.string(), z.json())
  }
}
