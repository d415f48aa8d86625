import type { Nodes, Parents, Table } from 'mdast'
import { useMemo, type ReactNode } from 'react'
import { markdownTree } from './markdown-tree.ts'
import { VisibleText } from './visible-text.tsx'
import './markdown.css'

/** Deeper trees are shown as plain text. */
const maxDepth = 24

/**
 * Text of a model with bold, code, lists, tables and headings. Everything else is plain text: no
 * links, no images, no HTML (security.md 18). Each text is a `VisibleText`.
 */
export function Markdown({ text }: { text: string }) {
  const tree = useMemo(() => markdownTree(text), [text])
  if (tree === null) return <VisibleText text={text} />
  return <div className="markdown">{childrenOf(tree, text, 0)}</div>
}

function childrenOf(node: Parents, source: string, depth: number): ReactNode[] {
  return node.children.map((child: Nodes) => (
    <Node
      key={`${child.type} ${child.position?.start.offset ?? 0}`}
      node={child}
      source={source}
      depth={depth + 1}
    />
  ))
}

function Node({ node, source, depth }: { node: Nodes; source: string; depth: number }) {
  if (depth > maxDepth) return <VisibleText text={writtenText(node, source)} />
  switch (node.type) {
    case 'paragraph':
      return <p>{childrenOf(node, source, depth)}</p>
    // Headings of a model are no headings of the page.
    case 'heading':
      return (
        <p className={`md-heading md-heading-${node.depth}`}>{childrenOf(node, source, depth)}</p>
      )
    case 'text':
      return <VisibleText text={node.value} continues isProse />
    case 'strong':
      return <strong>{childrenOf(node, source, depth)}</strong>
    case 'emphasis':
      return <em>{childrenOf(node, source, depth)}</em>
    case 'inlineCode':
      return (
        <code className="md-code">
          <VisibleText text={node.value} continues />
        </code>
      )
    case 'code':
      return (
        <pre className="md-pre">
          <VisibleText text={node.value} />
        </pre>
      )
    case 'list': {
      const items = childrenOf(node, source, depth)
      return node.ordered === true ? (
        <ol className="md-list" start={node.start ?? 1}>
          {items}
        </ol>
      ) : (
        <ul className="md-list">{items}</ul>
      )
    }
    case 'listItem':
      return <li>{childrenOf(node, source, depth)}</li>
    case 'blockquote':
      return <blockquote className="md-quote">{childrenOf(node, source, depth)}</blockquote>
    case 'break':
      return <br />
    case 'thematicBreak':
      return <hr className="md-rule" />
    case 'table':
      return <MarkdownTable table={node} source={source} depth={depth} />
    default:
      return <VisibleText text={writtenText(node, source)} continues />
  }
}

function MarkdownTable({ table, source, depth }: { table: Table; source: string; depth: number }) {
  const [head, ...rows] = table.children
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys must scroll it too
    <div className="md-table scroll-edges" role="region" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head?.children.map((cell) => (
              <th key={cell.position?.start.offset} scope="col">
                {childrenOf(cell, source, depth + 1)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.position?.start.offset}>
              {row.children.map((cell) => (
                <td key={cell.position?.start.offset}>{childrenOf(cell, source, depth + 1)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function writtenText(node: Nodes, source: string): string {
  return source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0)
}
