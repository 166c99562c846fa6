/** English: events on their way to the broker, and those that did not get there. */
export const EN_DELIVERY = {
  'delivery.tab': 'Delivery',
  'delivery.sub': 'Events on their way to the broker, and those that did not get there.',
  'delivery.broker': 'Broker',
  'delivery.broker.local': 'none: events stay here',
  'delivery.broker.connecting': 'connecting',
  'delivery.broker.connected': 'connected',
  'delivery.broker.down': 'down',
  'delivery.head.local':
    'No broker is set up. Events go to what listens inside Holdfast, and to the audit.',
  'delivery.head.connecting': 'The broker is being reached. Events wait on disk, in order.',
  'delivery.head.connected': 'The broker takes events.',
  'delivery.head.draining':
    '{count, plural, one {The broker is back: # event goes out now.} other {The broker is back: # events go out now, in order.}}',
  'delivery.head.down':
    '{count, plural, =0 {The broker does not answer. New events wait on disk.} one {The broker does not answer. # event waits on disk.} other {The broker does not answer. # events wait on disk, in order.}}',
  'delivery.since': 'since {time}',
  'delivery.server': 'Server',
  'delivery.depth': 'Waiting on disk',
  'delivery.depthText': '{count} of {text}, {what}',
  'delivery.full': 'How full the queue is',
  'delivery.oldest': 'Oldest',
  'delivery.slowdown': 'Producers are slowed',
  'delivery.slowdown.none': 'no',
  'delivery.slowdown.by': 'by {count} ms for each event',
  'delivery.counts': 'Since the start',
  'delivery.countsLocal': '{count} handed in',
  'delivery.countsText': '{count} handed in, {text} taken by the broker',
  'delivery.shed':
    '{count, plural, one {The queue was full: # event made room for a newer one.} other {The queue was full: # events made room for newer ones.}}',
  'delivery.shed.kept':
    '{count, plural, =0 {None of them is a dead letter any more.} one {# is a dead letter below.} other {# are dead letters below.}}',
  'delivery.shed.summarised':
    '{count, plural, one {# is only counted any more.} other {# are only counted any more.}}',
  'delivery.refused':
    '{count, plural, one {The disk refused # event since the start; its producer was told.} other {The disk refused # events since the start; their producers were told.}}',
  'delivery.dead': 'Dead letters',
  'delivery.dead.none': 'There are no dead letters.',
  'delivery.dead.noneTopic': 'No dead letter has this topic.',
  'delivery.topic': 'Topic',
  'delivery.topic.all': 'All topics',
  'delivery.replayAll': '{count, plural, one {Send it again} other {Send all # again}}',
  'delivery.replayTopic':
    '{count, plural, one {Send # of {name} again} other {Send # of {name} again}}',
  'delivery.replay': 'Send it again',
  'delivery.replayOf': 'Send again: {id}',
  'delivery.purge': 'Delete…',
  'delivery.purgeOf': 'Delete: {id}',
  'delivery.purgeAll': 'Delete all…',
  'delivery.purgeTopic': 'Delete all of {name}…',
  'delivery.purge.title':
    '{count, plural, one {Delete this event for good?} other {Delete # events for good?}}',
  'delivery.purge.about':
    'Nobody has received {count, plural, one {it} other {them}}, and nobody will. It cannot be taken back.',
  'delivery.purge.confirm': '{count, plural, one {Delete it} other {Delete #}}',
  'delivery.said.replayed':
    '{count, plural, =0 {Nothing was sent again.} one {# event goes out again.} other {# events go out again, in order.}}',
  'delivery.said.purged':
    '{count, plural, =0 {Nothing was deleted.} one {# event was deleted.} other {# events were deleted.}}',
  'delivery.more': 'Show more',
  'delivery.reason.refused': 'refused by the broker',
  'delivery.reason.shed': 'shed: the queue was full',
  'delivery.reason.unreadable': 'unreadable on disk',
  'delivery.reason.too_large': 'larger than the broker takes',
  'delivery.attempts': '{count, plural, =0 {never tried} one {tried once} other {tried # times}}',
  'delivery.history': 'Each attempt',
  'delivery.payload': 'Start of its content',
  'delivery.letter': 'Event {id}',
} as const;
