import { defineTool } from '@countersign/tools'
import { z } from 'zod'

/** A custom tool. It asks by default; its worker lists it under `tools`. */
export default defineTool({
  name: 'say_hello',
  description: 'Say hello to somebody',
  inputSchema: z.object({ name: z.string() }),
  approval: () => 'ask',
  describe: (input) => `Say hello to ${input.name}`,
  execute: async (input) => ({ greeting: `Hello, ${input.name}` }),
})
