import { z } from 'zod'
import { savedViewPages } from '#domain/saved-view.ts'
import { id, text } from '../common.ts'

const example = { page: 'inbox', name: 'Expiring, high risk', query: 'risk=high&sort=expiresAt' }

/** The filters of a page under a name; `query` is that of its address, without the `?`. */
export const savedViewBody = z
  .strictObject({
    page: z.enum(savedViewPages),
    name: text(60).trim().min(1),
    query: text(1000),
  })
  .meta({ examples: [example] })

export const savedView = z
  .object({ id, page: z.enum(savedViewPages), name: z.string(), query: z.string() })
  .meta({ id: 'SavedView' })
export type SavedViewBody = z.infer<typeof savedView>

export const savedViewList = z.object({ items: z.array(savedView) })
export const savedViewRemoved = z
  .object({ removed: z.literal(true) })
  .meta({ examples: [{ removed: true }] })
