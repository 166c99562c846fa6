/** Of an attachment, by its media type. */
export function mediaKind(type: string): 'image' | 'audio' | 'video' | 'file' {
  const [kind] = type.split('/');
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
}
