import express, { type Express, type Response } from 'express'
import { CountersignError, type Client } from '@countersign/client'

/** Deletes a customer's data, for good. */
export type Erase = (customer: string) => Promise<void>

/**
 * An Express application of yours with one dangerous route. The answer comes when somebody has
 * decided, which may take hours: behind a proxy, answer `202` and go on in the background instead.
 */
export function createShop(countersign: Client, erase: Erase): Express {
  const app = express()
  // Express 5 passes on what rejects.
  app.delete('/customers/:id', (request, response) => eraseGated(request.params.id, response))
  return app

  async function eraseGated(customer: string, response: Response): Promise<void> {
    const gone = new AbortController()
    response.on('close', () => gone.abort(new Error('nobody waits any more')))
    try {
      await countersign.gate(
        { tool: 'erase_customer', input: { customer }, title: `Erase customer ${customer}` },
        ({ input }) => erase(input.customer),
        { signal: gone.signal },
      )
      response.status(204).end()
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error
      response.status(403).json({ code: error.code, message: error.message })
    }
  }
}
