import express, { type Express, type Response } from 'express'
import { CountersignError, type Client } from '@countersign/client'

/** Your function that deletes the data of a customer for good. */
export type Erase = (customer: string) => Promise<void>

/**
 * An Express application with one dangerous route. It answers once somebody has decided, which may
 * take hours: behind a proxy, answer `202` and continue in the background instead.
 */
export function createShop(countersign: Client, erase: Erase): Express {
  const app = express()
  // Express 5 handles a rejected promise of a route as an error.
  app.delete('/customers/:id', (request, response) => eraseGated(request.params.id, response))
  return app

  async function eraseGated(customer: string, response: Response): Promise<void> {
    const closing = new AbortController()
    response.on('close', () => closing.abort(new Error('nobody waits any more')))
    try {
      await countersign.gate(
        { tool: 'erase_customer', input: { customer }, title: `Erase customer ${customer}` },
        ({ input }) => erase(input.customer),
        { signal: closing.signal },
      )
      response.status(204).end()
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error
      response.status(403).json({ code: error.code, message: error.message })
    }
  }
}
