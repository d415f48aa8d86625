import { z } from 'zod'
import { json, wholeListOf } from './common.ts'
import * as example from './examples.ts'

/** Tools and the schemas of their inputs, from which clients make forms. */
export const toolList = wholeListOf(
  z.object({
    name: z.string().describe('Name of the tool'),
    description: z.string().describe('What the tool does, as the model reads it'),
    inputSchema: z.record(z.string(), json).describe('JSON Schema of the input'),
  }),
).meta({
  examples: [
    {
      items: [{ name: example.tool, description: 'Write a file', inputSchema: { type: 'object' } }],
    },
  ],
})
export type ToolList = z.infer<typeof toolList>
