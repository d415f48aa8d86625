import { sql, type RawBuilder } from 'kysely'
import type { RequestDetailRecord } from './request-record.ts'

type Comment = RequestDetailRecord['comments'][number]

/** A comment as a query returns it: its text by hash, its instants as text. */
export type CommentRow = Omit<Comment, 'text' | 'at' | 'editedAt'> & {
  readonly textHash: string
  readonly at: string
  readonly editedAt: string | null
}

/** Part of a query over `request`: its comments as `CommentRow`s, oldest first. */
export const commentRows: RawBuilder<CommentRow[]> = sql<CommentRow[]>`
  (select coalesce(json_agg(json_build_object('id', c.id,
      'person', json_build_object('id', p.id, 'name', p.name),
      'textHash', c.text_hash, 'anchor', c.anchor, 'at', c.created_at, 'editedAt', c.edited_at)
      order by c.created_at, c.id), '[]')
    from comment c join person p on p.id = c.person_id where c.request_id = request.id)`

/** The comment with its text; `wordsOf` returns the text of a hash, or a notice of its erasure. */
export function commentOf(
  { textHash, at, editedAt, ...comment }: CommentRow,
  wordsOf: (hash: string) => string,
): Comment {
  const edited = editedAt === null ? null : new Date(editedAt)
  return { ...comment, text: wordsOf(textHash), at: new Date(at), editedAt: edited }
}
