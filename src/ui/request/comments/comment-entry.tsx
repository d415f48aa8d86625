import { Time } from '../../text/time.tsx'
import { VisibleText } from '../../text/visible-text.tsx'
import type { Comment } from './commented.ts'

/** One comment: who said it and when, about which line where `showsLine`, and the words. */
export function CommentEntry({ comment, showsLine }: { comment: Comment; showsLine: boolean }) {
  const { anchor } = comment
  return (
    <>
      <p className="small">
        <strong>{comment.person.name}</strong>{' '}
        <span className="dim">
          <Time at={comment.at} />
        </span>
        {showsLine && anchor !== null && (
          <>
            {' '}
            on{' '}
            <code>
              <VisibleText text={anchor.file} />
            </code>
            , {anchor.side} line {anchor.line}
          </>
        )}
      </p>
      <p>
        <VisibleText text={comment.text} />
      </p>
    </>
  )
}
