import { z } from 'zod'
import { id, person, shortNumber, wholeListOf, workerName } from '../common.ts'
import * as example from '../examples.ts'
import { startedByName } from './schedules.ts'

/** The headers of Standard Webhooks. */
export const triggerHeaders = z.object({
  'webhook-id': z
    .string()
    .optional()
    .describe('Id of the message; a repeated one starts no second run'),
  'webhook-timestamp': z.string().optional().describe('When it was sent, in seconds since 1970'),
  'webhook-signature': z
    .string()
    .optional()
    .describe('`v1,` and the HMAC-SHA-256 of id, timestamp and body, in base64'),
})

/** The body of a message. If it is not a JSON object, the run gets it as text. */
export const triggerBody = z
  .looseObject({})
  .meta({ examples: [{ service: 'shop', version: '1.2.0' }] })

export const triggered = z
  .object({ runId: id, number: shortNumber })
  .meta({ examples: [{ runId: example.runId, number: 12 }] })

export const trigger = z
  .object({
    name: z.string().describe('Name of the trigger, from countersign.yaml'),
    worker: workerName,
    as: person
      .nullable()
      .describe(
        'The person who starts its runs; null: nobody has the configured address, or none is configured',
      ),
    conversation: z.boolean().describe('Whether its runs wait for messages after their answer'),
    url: z.string().describe('The address to which messages are posted'),
    hasSecret: z
      .boolean()
      .describe('Whether the service has its secret; without one it accepts only API keys'),
    paused: z.boolean().describe('Whether it refuses messages that have not started a run'),
    lastRun: startedByName.optional().describe('The newest run; absent: none was started'),
    mayManage: z.boolean().describe('Whether the caller may pause and resume it'),
  })
  .meta({
    id: 'Trigger',
    examples: [
      {
        name: 'deploys',
        worker: example.worker,
        as: null,
        conversation: false,
        url: 'https://countersign.example.com/v1/triggers/deploys',
        hasSecret: true,
        paused: false,
        lastRun: { runId: example.runId, number: 12, state: 'completed', at: example.askedAt },
        mayManage: true,
      },
    ],
  })
export type Trigger = z.infer<typeof trigger>
export const triggerList = wholeListOf(trigger)
