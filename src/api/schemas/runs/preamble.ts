import { z } from 'zod'

export const runPreamble = z
  .object({
    version: z.int().nonnegative().meta({
      description: '0: the run began before models got a preamble; the text is empty',
    }),
    text: z.string().meta({
      description: "What the model reads before its worker's instructions, the same in every turn",
    }),
  })
  .meta({
    examples: [
      {
        version: 1,
        text: 'You are the worker release-notes of Countersign, which wrote this part. This run began on 2026-11-25 (UTC); days may have passed since.',
      },
    ],
  })
