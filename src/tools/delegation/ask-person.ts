import { z } from 'zod'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import { defineBuiltIn } from '../definition/define-built-in.ts'
import { makePresentation } from '../presentations/make-presentation.ts'
import { titleLine } from '../presentations/structured.ts'
import { textWarnings } from '../presentations/text-warnings.ts'

const maxQuestionCharacters = 4000
const maxChoiceCharacters = 200
const maxChoices = 20

const schema = z.strictObject({
  question: z
    .string()
    .max(maxQuestionCharacters)
    .refine((text) => text.trim() !== '', 'A question must not be empty.')
    .describe('What you want to know, with all that a person needs to answer it.'),
  choices: z
    .array(
      z
        .string()
        .max(maxChoiceCharacters)
        .refine((text) => text.trim() !== '', 'A choice must not be empty.'),
    )
    .min(2)
    .max(maxChoices)
    .refine((choices) => new Set(choices).size === choices.length, 'Two choices are the same.')
    .optional()
    .describe('The answers to choose from; without them people answer in their own words.'),
})

/** Waits for people's answer (workers-and-policy.md), which no mode or rule gives. */
export const askPerson = defineBuiltIn({
  name: 'ask_person',
  description:
    'Ask the people of your queue a question and wait for the answer, which may take hours. Their answer is the result. It approves nothing: what needs an approval is still asked for itself.',
  schema,
  readOnly: false,
  scopes: ['once'],
  accesses: () => [],

  async present({ question, choices = [] }, { toolHash }) {
    const numberedChoices = choices.map((choice, index) => `${index + 1}. ${choice}`)
    const content = [
      question,
      ...(numberedChoices.length === 0 ? [] : ['', ...numberedChoices]),
      '',
    ].join('\n')
    return {
      title: titleLine(`Ask: ${question}`),
      presentation: makePresentation({
        type: 'text',
        language: null,
        content,
        metadata: { choices: [...choices] },
        warnings: textWarnings(content.split('\n')),
      }),
      facts: { toolHash, bases: [] },
      content: Buffer.from(content),
      contentType: 'text/plain',
    }
  },

  // The answer becomes the result in the answer's own transaction: only a forged approval gets
  // here.
  async execute() {
    throw new ToolProblem('A person answers a question; it is never carried out.')
  },
})
