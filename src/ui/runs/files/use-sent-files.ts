import { useState, type ClipboardEvent, type DragEvent } from 'react'
import { limits } from '#domain/limits.ts'
import { binarySize } from '#domain/text/quantities/binary-size.ts'

/** A file for the next message, in the form of the API. */
export interface FileToSend {
  readonly name: string
  readonly mediaType: string
  /** base64 */
  readonly data: string
  readonly bytes: number
}

/** The files for the next message: chosen, pasted or dropped. They last as long as the page. */
export function useSentFiles() {
  const [files, setFiles] = useState<readonly FileToSend[]>([])
  const [problem, setProblem] = useState<string | null>(null)
  const add = async (additions: readonly File[]): Promise<void> => {
    // Judged before anything is read: a chosen file may be larger than the memory of the page.
    const wrong = whyTooMuch([...files, ...additions.map(({ size }) => ({ bytes: size }))])
    setProblem(wrong)
    if (wrong !== null) return
    const outcomes = await Promise.all(additions.map(readChosen))
    const read = outcomes.filter((one) => typeof one !== 'string')
    const names = outcomes.filter((one) => typeof one === 'string')
    if (names.length > 0) setProblem(`${names.join(', ')} cannot be read: choose the file again.`)
    // While these were read, others may have been added.
    setFiles((before) =>
      whyTooMuch([...before, ...read]) === null ? [...before, ...read] : before,
    )
  }
  const remove = (at: number): void => {
    setProblem(null)
    setFiles((before) => before.filter((_, index) => index !== at))
  }
  /** Removes these files. Others that were added meanwhile stay. */
  const clear = (): void => setFiles((before) => before.filter((file) => !files.includes(file)))
  const take = (event: DragEvent | ClipboardEvent, { files: additions }: DataTransfer): void => {
    if (additions.length === 0) return
    event.preventDefault()
    void add([...additions])
  }
  /** Takes a picture from the clipboard; pasted text goes into the field as usual. */
  const paste = (event: ClipboardEvent): void => take(event, event.clipboardData)
  /** Takes files that are dropped on the form, which the browser would open instead. */
  const drop = {
    onDragOver: (event: DragEvent): void => {
      if (event.dataTransfer.types.includes('Files')) event.preventDefault()
    },
    onDrop: (event: DragEvent): void => take(event, event.dataTransfer),
  }
  const body = files.length === 0 ? {} : { files: files.map(withoutSize) }
  return { files, problem, add, remove, clear, paste, drop, body }
}

/** Why files do not go with one message; null: they do. */
function whyTooMuch(files: readonly { readonly bytes: number }[]): string | null {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (files.length > limits.filesOfMessage) {
    return `At most ${limits.filesOfMessage} files go with a message.`
  }
  if (bytes <= limits.filesOfMessageBytes) return null
  return `The files of a message have at most ${binarySize(limits.filesOfMessageBytes)} together.`
}

export type SentFiles = ReturnType<typeof useSentFiles>

/**
 * A file, or its name if it cannot be read: a folder, or a file that changed since. One without a
 * type may be text. The service checks the type against the bytes.
 */
async function readChosen(file: File): Promise<FileToSend | string> {
  const content = await file.arrayBuffer().catch(() => null)
  if (content === null) return file.name
  const bytes = new Uint8Array(content)
  let binary = ''
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  }
  const mediaType = file.type === '' ? 'text/plain' : file.type
  return { name: file.name, mediaType, data: btoa(binary), bytes: bytes.length }
}

function withoutSize({ name, mediaType, data }: FileToSend) {
  return { name, mediaType, data }
}
