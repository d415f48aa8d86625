import { z } from 'zod'
import { savedViewPages } from '#domain/saved-view.ts'
import { id, label, text, wholeListOf } from '../common.ts'

const example = { page: 'inbox', name: 'Expiring, high risk', query: 'risk=high&sort=expiresAt' }

const savedPage = z.enum(savedViewPages).describe('The page of the dashboard')

/** Filters of a page under a name. `query` is the query of the page’s address without the `?`. */
export const savedViewBody = z
  .strictObject({
    page: savedPage,
    name: label(60).describe('A view of the page with the same name is replaced'),
    query: text(1000).describe('The query of the page’s address without the `?`'),
  })
  .meta({ examples: [example] })

export const savedView = z
  .object({
    id,
    page: savedPage,
    name: z.string().describe('Unique among the caller’s views of the page'),
    query: z.string().describe('The query of the page’s address without the `?`'),
  })
  .meta({ id: 'SavedView' })
export type SavedViewBody = z.infer<typeof savedView>

export const savedViewList = wholeListOf(savedView)
