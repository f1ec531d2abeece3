-- How many bytes the activities, attachments and feedback of a conversation have.
ALTER TABLE conversation ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;

UPDATE conversation SET bytes =
    (SELECT coalesce(sum(octet_length(activity.body)), 0) FROM activity WHERE activity.conversation = conversation.key)
    + (SELECT coalesce(sum(octet_length(attachment.bytes)), 0) FROM attachment WHERE attachment.conversation = conversation.key)
    + (SELECT coalesce(sum(octet_length(feedback.body)), 0) FROM feedback WHERE feedback.conversation = conversation.key);

-- Conversations in which nothing was ever recorded, which make room for others.
CREATE INDEX conversation_without_content ON conversation (created, id) WHERE bytes = 0 AND reference IS NULL;
