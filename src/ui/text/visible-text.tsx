import { use, type ReactNode } from 'react'
import type { TextSegment } from '#domain/text/visible-text.ts'
import { linePieces, type LinePiece } from '#domain/text/line-pieces.ts'
import { cutByRuns, type StyledRun } from './styled-runs.ts'
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
 * Untrusted text of one or more lines. Invisible characters become chips, and nothing is
 * interpreted as markup. `continues`: the last line may continue after the text. `isProse`: a line
 * that begins from right to left is read from its right side, as people write it. Names, values and
 * commands stay in the order of their bytes.
 */
export function VisibleText({
  text,
  continues,
  isProse,
}: {
  text: string
  continues?: boolean
  isProse?: boolean
}) {
  return text.split('\n').map((line, index, lines) => {
    const fromRight = isProse === true && beginsFromRight.test(line)
    return (
      // Lines have no identity but their place.
      // eslint-disable-next-line react/no-array-index-key
      <span key={index} className="untrusted" dir={fromRight ? 'rtl' : undefined}>
        <VisibleLine
          line={line}
          continues={continues === true && index === lines.length - 1}
          fromRight={fromRight}
        />
        {index < lines.length - 1 && <br />}
      </span>
    )
  })
}

/**
 * One line of text from outside; on pages that mask secrets, each is a chip until it is revealed.
 * `continues`: `line` is a part, and the line continues after it. Blanks at the end of the part are
 * then not at the end of the line. `runs` give ranges of the line a class, and do not change the
 * marks. `fromRight`: the browser orders the words, in an element that is read from the right.
 */
export function VisibleLine({
  line,
  continues,
  runs = noRuns,
  fromRight = false,
}: {
  line: string
  continues?: boolean
  runs?: readonly StyledRun[]
  fromRight?: boolean
}) {
  const masks = use(SecretsContext) !== null
  const parts = masks ? partsOf(line) : []
  const ends = continues !== true
  if (parts.every(({ secret }) => secret === null))
    return <Pieces pieces={linePieces(line, ends)} offset={0} {...{ runs, fromRight }} />
  return parts.map(({ text, secret }, index) => {
    const pieces = linePieces(text, ends && index === parts.length - 1)
    const at = lengthBefore(parts, index)
    return secret === null ? (
      // eslint-disable-next-line react/no-array-index-key
      <Pieces key={index} pieces={pieces} offset={at} {...{ runs, fromRight }} />
    ) : (
      // A secret is masked whole, also where only a part of it has a class.
      // eslint-disable-next-line react/no-array-index-key
      <SecretChip key={index} value={text} kind={secret.kind}>
        <Pieces pieces={pieces} offset={at} runs={noRuns} fromRight={fromRight} />
      </SecretChip>
    )
  })
}

const noRuns: readonly StyledRun[] = []

function sentenceOf({ look, reason }: Extract<TextSegment, { kind: 'chip' }>): string {
  return look === undefined ? sentences[reason] : `looks like "${look}"`
}

function lengthBefore(parts: readonly { readonly text: string }[], index: number): number {
  return parts.slice(0, index).reduce((sum, { text }) => sum + text.length, 0)
}

function Pieces(props: {
  pieces: readonly LinePiece[]
  offset: number
  runs: readonly StyledRun[]
  fromRight: boolean
}) {
  const { pieces, runs, fromRight } = props
  return pieces.map((piece, index) => {
    // eslint-disable-next-line react/no-array-index-key
    if (piece.kind !== 'text') return <Chip key={index} piece={piece} />
    if (runs.length === 0) return fromRight ? piece.text : inOrder(piece.text)
    const at = props.offset + lengthBefore(pieces, index)
    return cutByRuns(piece.text, at, runs).map(({ text, className }, part) =>
      className === null ? (
        inOrder(text)
      ) : (
        // eslint-disable-next-line react/no-array-index-key
        <span key={`${index} ${part}`} className={className}>
          {inOrder(text)}
        </span>
      ),
    )
  })
}

/** Letters, marks and digits of scripts that are written from right to left. */
const rightToLeftClass =
  '[\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufefc\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}]'
const rightToLeft = new RegExp(`(${rightToLeftClass}+)`, 'u')

/** The first letter is of such a script. */
const beginsFromRight = new RegExp(`^\\P{L}*(?=\\p{L})${rightToLeftClass}`, 'u')

/**
 * The text with its words in the order of its bytes. Several words from right to left, and the
 * numbers and signs after or between them, would otherwise be drawn in the opposite order: the
 * arguments of `mv` exchanged.
 */
function inOrder(text: string): ReactNode {
  const parts = text.split(rightToLeft)
  if (parts.length === 1) return text
  // eslint-disable-next-line react/no-array-index-key
  return parts.map((part, index) => (index % 2 === 0 ? part : <bdi key={index}>{part}</bdi>))
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
