import { IconCheck, IconFolder, IconMinus, IconPointFilled, IconX } from '@tabler/icons-react'
import { phoneUntil, useMedia } from '../states/use-media.ts'
import { VisibleText } from '../text/visible-text.tsx'
import type { ChangeEntry } from './change-entries.ts'
import { treeOf, type TreeNode } from './file-tree.ts'
import type { CallChoice } from './plan-decisions.ts'

const choiceMarks = {
  approve: { Icon: IconCheck, word: 'to approve', decidedWord: 'approved', className: 'ok' },
  deny: { Icon: IconX, word: 'to deny', decidedWord: 'denied', className: 'not-ok' },
  leave: { Icon: IconMinus, word: '', decidedWord: '', className: 'dim' },
} as const

/** The state of one entry, for its mark in the tree. */
export interface EntryMarks {
  /** what is chosen, or was decided */
  readonly choice: CallChoice
  readonly isDecided: boolean
  readonly wasViewed: boolean
}

/**
 * The files and commands of the turn. Each links to its call and shows the choice. On a phone the
 * list is folded, so that the first call begins on the first screen.
 */
export function CallTree(props: {
  entries: readonly ChangeEntry[]
  marksOf: (entry: ChangeEntry) => EntryMarks
  onGo: (entry: ChangeEntry) => void
}) {
  const isPhone = useMedia(phoneUntil)
  const tree = <Nodes nodes={treeOf(props.entries)} {...props} />
  return (
    <nav aria-label="Files and calls" className="call-tree">
      {isPhone ? (
        <details>
          <summary>Files and calls</summary>
          {tree}
        </details>
      ) : (
        tree
      )}
    </nav>
  )
}

function Nodes(props: {
  nodes: readonly TreeNode[]
  marksOf: (entry: ChangeEntry) => EntryMarks
  onGo: (entry: ChangeEntry) => void
}) {
  const { nodes, marksOf, onGo } = props
  return (
    <ul>
      {nodes.map((node) =>
        node.kind === 'folder' ? (
          <li key={`folder ${node.name}`}>
            <span className="tree-folder">
              <IconFolder size={14} aria-hidden />
              <VisibleText text={node.name} />
            </span>
            <Nodes nodes={node.nodes} marksOf={marksOf} onGo={onGo} />
          </li>
        ) : (
          <li key={node.entry.key}>
            <Entry node={node} marks={marksOf(node.entry)} onGo={() => onGo(node.entry)} />
          </li>
        ),
      )}
    </ul>
  )
}

function Entry(props: {
  node: Extract<TreeNode, { kind: 'entry' }>
  marks: EntryMarks
  onGo: () => void
}) {
  const { node, marks, onGo } = props
  const { Icon, className, ...words } = choiceMarks[marks.choice]
  const word = marks.isDecided ? words.decidedWord : words.word
  return (
    <button type="button" className="tree-entry" data-viewed={marks.wasViewed} onClick={onGo}>
      <span className="dim tree-place">{node.entry.place}</span>
      <span className="grow break">
        <VisibleText text={node.name} />
      </span>
      {marks.wasViewed && (
        <span className="dim small">
          <IconPointFilled size={10} aria-hidden />
          <span className="visually-hidden">viewed</span>
        </span>
      )}
      {word !== '' && (
        <span className={className}>
          <Icon size={14} stroke={2.2} aria-hidden />
          <span className="visually-hidden">{word}</span>
        </span>
      )}
    </button>
  )
}
