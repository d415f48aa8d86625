import { z } from 'zod'
import { json } from './common.ts'
import * as example from './examples.ts'

/** Tools with what their forms are made from. */
export const toolList = z
  .object({
    items: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        /** JSON Schema of its input */
        inputSchema: z.record(z.string(), json),
      }),
    ),
  })
  .meta({
    examples: [
      {
        items: [
          { name: example.tool, description: 'Write a file', inputSchema: { type: 'object' } },
        ],
      },
    ],
  })
export type ToolList = z.infer<typeof toolList>
