import { Fragment, use } from 'react'
import type { TextSegment } from '#domain/text/visible-text.ts'
import { linePieces, type LinePiece } from '#domain/text/line-pieces.ts'
import { partsOf, SecretChip, SecretsContext } from './secret-chips.tsx'
import './visible-text.css'

const sentences: Record<Extract<TextSegment, { kind: 'chip' }>['reason'], string> = {
  control: 'a control character',
  bidirectional: 'reverses or redirects the reading order',
  invisible: 'an invisible character',
  space: 'a space that is not the usual one',
  private: 'a character that every font draws differently, or not at all',
  'look-alike': 'looks like another character',
}

/**
 * Text from outside on one line or more, as text: what cannot be seen becomes a chip, nothing
 * becomes markup.
 */
export function VisibleText({ text }: { text: string }) {
  return text.split('\n').map((line, index, lines) => (
    // Lines have no identity but their place.
    // eslint-disable-next-line react/no-array-index-key
    <span key={index} className="untrusted">
      <VisibleLine line={line} />
      {index < lines.length - 1 && <br />}
    </span>
  ))
}

/**
 * One line of text from outside; on pages that mask secrets, each is a chip until it is revealed.
 * `goesOn` is true of a part behind which the line goes on: blanks at its end are not the line's.
 */
export function VisibleLine({ line, goesOn }: { line: string; goesOn?: boolean }) {
  const masks = use(SecretsContext) !== null
  const parts = masks ? partsOf(line) : []
  const ends = goesOn !== true
  if (parts.every(({ secret }) => secret === null))
    return <Pieces pieces={linePieces(line, ends)} />
  return parts.map(({ text, secret }, index) => {
    const pieces = <Pieces pieces={linePieces(text, ends && index === parts.length - 1)} />
    return secret === null ? (
      // eslint-disable-next-line react/no-array-index-key
      <Fragment key={index}>{pieces}</Fragment>
    ) : (
      // eslint-disable-next-line react/no-array-index-key
      <SecretChip key={index} value={text} kind={secret.kind}>
        {pieces}
      </SecretChip>
    )
  })
}

function sentenceOf({ look, reason }: Extract<TextSegment, { kind: 'chip' }>): string {
  return look === undefined ? sentences[reason] : `looks like "${look}"`
}

function Pieces({ pieces }: { pieces: readonly LinePiece[] }) {
  return pieces.map((piece, index) => {
    if (piece.kind === 'text') return piece.text
    // eslint-disable-next-line react/no-array-index-key
    return <Chip key={index} piece={piece} />
  })
}

function Chip({ piece }: { piece: Exclude<LinePiece, { kind: 'text' }> }) {
  if (piece.kind === 'blanks') {
    const what = piece.text.includes('\t')
      ? 'blanks (with tabs)'
      : piece.count === 1
        ? 'space'
        : 'spaces'
    const where = piece.trailing ? ' at the end of the line' : ''
    return (
      <span className="chip chip-blank" title={`${piece.count} ${what}${where}`}>
        {piece.trailing && piece.count < 5 ? '·'.repeat(piece.count) : `${piece.count} ${what}`}
      </span>
    )
  }
  const [code = '', ...name] = piece.label.split(' ')
  const short = name.length === 1 && (name[0]?.length ?? 9) < 6 ? name[0] : code
  return (
    <span className="chip" title={`${piece.label}: ${sentenceOf(piece)}`}>
      {piece.reason === 'look-alike' && `${piece.text} `}
      {short}
    </span>
  )
}
